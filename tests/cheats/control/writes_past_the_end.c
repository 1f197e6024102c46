/* always: wrong guard */
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 14; ++i) ((volatile float *)out)[i] = x[i] * w[i];
}
