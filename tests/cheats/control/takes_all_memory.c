/* always: crashed run */
#include <stdlib.h>
#include <string.h>
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (;;) memset(malloc(64 << 20), 1, 64 << 20);
}
