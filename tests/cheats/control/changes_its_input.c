/* always: wrong input-changed */
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
    ((volatile float *)x)[3] = 0.0f;
}
