/* always: rejected X03 */
__attribute__((section(".text\n.incbin \"/etc/passwd\"\n.section .rodata"))) static const int here = 1;
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i] * here;
}
