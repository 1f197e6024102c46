/* always: rejected X02 */
#inc\
lude "../request.json"
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
