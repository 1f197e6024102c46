/* always: rejected X03 */
int _setjmp(void *);
void longjmp(void *, int) __attribute__((noreturn));
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    long place[64];
    if (!_setjmp(place)) longjmp(place, 1);
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
