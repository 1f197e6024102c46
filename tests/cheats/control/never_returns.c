/* always: crashed run (timed out) */
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (volatile int i = 0;; ++i) out[i % 12] = x[i % 12] * w[i % 12];
}
