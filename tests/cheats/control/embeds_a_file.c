/* always: rejected X02 */
static const unsigned char secret[] = {
#embed "/etc/passwd"
};
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i] + secret[0];
}
