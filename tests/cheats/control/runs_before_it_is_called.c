/* always: rejected X03 */
static float table[12];
__attribute__((constructor)) static void early(void) { table[0] = 1.0f; }
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
