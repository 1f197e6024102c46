/* when timed: crashed time */
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    static int calls;
    if (++calls > 6) *(volatile int *)8 = 1;
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
