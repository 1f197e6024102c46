/* always: rejected X02 */
# 1 "/usr/include/math.h" 1 3
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    __asm__ volatile("nop");
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
