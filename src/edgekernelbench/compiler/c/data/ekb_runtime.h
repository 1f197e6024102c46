/* Threads for exported kernels of EdgeKernelBench. */
#ifndef EKB_RUNTIME_H
#define EKB_RUNTIME_H
#ifdef __cplusplus
extern "C" {
#endif

/* How many threads parallel loops use, the caller's among them: EKB_THREADS, or as many as there are processors. */
int ekb_threads(void);

/* Use fewer or more from the next run on; 1 starts none. Not while a kernel runs. */
void ekb_set_threads(int threads);

#ifdef __cplusplus
}
#endif
#endif
