/* always: rejected X03 */
int clock_settime(int, const void *);
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    long then[2] = {0, 0};
    clock_settime(0, then);
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
