/* always: rejected X03 */
#define GLUE(a, b) a##b
#define WORD GLUE(__as, m__)
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    WORD volatile("" ::: "memory");
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
