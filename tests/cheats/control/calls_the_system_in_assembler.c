/* always: rejected X03 */
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    long answer = 39;
    __asm__ volatile("syscall" : "+a"(answer) : : "rcx", "r11", "memory");
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
