/* always: rejected X03 */
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
static void *later(void *out) { return out; }
void kernel(const float *restrict x, const float *restrict w, float *restrict out) {
    unsigned long thread;
    pthread_create(&thread, 0, later, out);
    for (int i = 0; i < 12; ++i) out[i] = x[i] * w[i];
}
