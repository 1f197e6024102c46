/* always: rejected X03 */
#include <stdlib.h>
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    exit(0);
}
