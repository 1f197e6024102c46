/* always: rejected X01 */
int kernel(const float *x, float *out) { return out[0] = x[0], 0; }
