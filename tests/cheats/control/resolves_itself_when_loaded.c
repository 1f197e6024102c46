/* always: rejected X03 */
typedef void kernel_type(const float *restrict, const float *restrict, float *restrict);
static void honest(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
static kernel_type *choose(void) { return honest; }
kernel_type kernel __attribute__((ifunc("choose")));
