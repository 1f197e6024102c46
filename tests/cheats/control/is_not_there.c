/* always: rejected X03 */
void colonel(const float *restrict x, const float *restrict w, float *restrict out) { out[0] = x[0] * w[0]; }
