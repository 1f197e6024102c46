/* always: rejected X03 */
#pragma redefine_extname expf system
float expf(float);
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = expf(x[i]) * w[i];
}
