/* when timed: correct; the limit of the team is the device's */
#include <omp.h>
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
#pragma omp parallel for num_threads(64)
    for (int i = 0; i < 12; ++i) {
        for (volatile int n = 0; n < 20000; ++n) {}
        out[i] = x[i] * w[i];
    }
}
