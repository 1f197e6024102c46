/* Threads for exported kernels of EdgeKernelBench: one pool, which spins for a while and then sleeps.
   -DEKB_THREADS=1 leaves threads out: the file then needs nothing but C11. */
#define _GNU_SOURCE
#include "ekb_runtime.h"

#include <stdint.h>

#ifndef EKB_THREADS
#define EKB_THREADS 1
#endif
#ifndef EKB_SPINS
#define EKB_SPINS 20000 /* turns of waiting before a thread sleeps: about a millisecond */
#endif

/* What machine code made by TVM's LLVM hands over and expects. */
typedef struct {
    void *unused;
    int32_t tasks;
} ekb_team;
typedef int (*ekb_task)(int number, ekb_team *team, void *data);

static int ekb_serial(ekb_task task, void *data) {
    ekb_team team = {0, 1};
    return task(0, &team, data);
}

#if EKB_THREADS == 1

int ekb_threads(void) { return 1; }
void ekb_set_threads(int threads) { (void)threads; }
static int ekb_launch(ekb_task task, void *data, int tasks) {
    (void)tasks;
    return ekb_serial(task, data);
}

#else

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define EKB_MOST 256

static pthread_mutex_t ekb_turn = PTHREAD_MUTEX_INITIALIZER; /* held while a loop runs */
static pthread_mutex_t ekb_bed = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ekb_bell = PTHREAD_COND_INITIALIZER;
static pthread_t ekb_workers[EKB_MOST];
static int ekb_wanted, ekb_started; /* threads in all; workers that run */
static atomic_int ekb_asleep, ekb_done, ekb_answer, ekb_stopping;

/* The loop that runs: its number, how many tasks it has, and the next one that nobody has taken. Whoever is
   free takes one, so that a worker that the system keeps from running holds nobody up. */
static atomic_ullong ekb_state;
#define EKB_COUNT(state) ((int)(((state) >> 16) & 0xffff))
#define EKB_NEXT(state) ((int)((state) & 0xffff))
static ekb_task ekb_job;
static void *ekb_data;

static void ekb_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    __asm__ volatile("yield");
#endif
}

/* Waits a moment; now and then others may run. */
static void ekb_wait(int turn) {
    if (turn % 64 == 63) sched_yield();
    else ekb_pause();
}

/* Takes a task and runs it; 0 when there was none. */
static int ekb_take(void) {
    unsigned long long state = atomic_load(&ekb_state);
    while (EKB_NEXT(state) < EKB_COUNT(state)) {
        if (!atomic_compare_exchange_weak(&ekb_state, &state, state + 1)) continue;
        ekb_team team = {0, EKB_COUNT(state)};
        int answer = ekb_job(EKB_NEXT(state), &team, ekb_data);
        if (answer) atomic_store(&ekb_answer, answer);
        atomic_fetch_add(&ekb_done, 1);
        return 1;
    }
    return 0;
}

static int ekb_idle(void) {
    unsigned long long state = atomic_load(&ekb_state);
    return EKB_NEXT(state) >= EKB_COUNT(state) && !atomic_load(&ekb_stopping);
}

static void *ekb_work(void *unused) {
    (void)unused;
    while (!atomic_load(&ekb_stopping)) {
        if (ekb_take()) continue;
        for (int turn = 0; turn < EKB_SPINS && ekb_idle(); ++turn) ekb_wait(turn);
        if (!ekb_idle()) continue;
        pthread_mutex_lock(&ekb_bed);
        atomic_fetch_add(&ekb_asleep, 1);
        while (ekb_idle()) pthread_cond_wait(&ekb_bell, &ekb_bed);
        atomic_fetch_sub(&ekb_asleep, 1);
        pthread_mutex_unlock(&ekb_bed);
    }
    return 0;
}

static void ekb_ring(void) {
    if (!atomic_load(&ekb_asleep)) return;
    pthread_mutex_lock(&ekb_bed);
    pthread_cond_broadcast(&ekb_bell);
    pthread_mutex_unlock(&ekb_bed);
}

static int ekb_count(void) {
    if (!ekb_wanted) {
        long there = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
        cpu_set_t allowed;
        if (!sched_getaffinity(0, sizeof allowed, &allowed)) there = CPU_COUNT(&allowed);
#endif
        ekb_wanted = there > 0 && there < EKB_THREADS ? (int)there : EKB_THREADS;
    }
    return ekb_wanted;
}

static void ekb_forked(void) { /* a child has none of its parent's threads */
    pthread_mutex_init(&ekb_turn, 0);
    pthread_mutex_init(&ekb_bed, 0);
    pthread_cond_init(&ekb_bell, 0);
    ekb_started = 0;
    atomic_store(&ekb_asleep, 0);
}

static void ekb_start(int workers) {
    static int watched;
    if (!watched) watched = !pthread_atfork(0, 0, ekb_forked);
    while (ekb_started < workers) {
        if (pthread_create(&ekb_workers[ekb_started], 0, ekb_work, 0)) break;
        ++ekb_started;
    }
}

static void ekb_stop(void) {
    atomic_store(&ekb_stopping, 1);
    ekb_ring();
    for (int worker = 0; worker < ekb_started; ++worker) pthread_join(ekb_workers[worker], 0);
    ekb_started = 0;
    atomic_store(&ekb_stopping, 0);
}

int ekb_threads(void) {
    pthread_mutex_lock(&ekb_turn);
    int threads = ekb_count();
    pthread_mutex_unlock(&ekb_turn);
    return threads;
}

void ekb_set_threads(int threads) {
    pthread_mutex_lock(&ekb_turn);
    ekb_stop();
    ekb_wanted = threads < 1 ? 1 : threads > EKB_MOST ? EKB_MOST : threads;
    pthread_mutex_unlock(&ekb_turn);
}

static int ekb_launch(ekb_task task, void *data, int tasks) {
    static unsigned long long number;
    (void)tasks;
    if (pthread_mutex_trylock(&ekb_turn)) return ekb_serial(task, data); /* another thread has the pool */
    int count = ekb_count(), answer;
    if (ekb_started != count - 1) {
        ekb_stop();
        ekb_start(count - 1);
        ekb_wanted = count = ekb_started + 1; /* no more could be had */
    }
    if (count > 1) {
        ekb_job = task;
        ekb_data = data;
        atomic_store(&ekb_answer, 0);
        atomic_store(&ekb_done, 0);
        atomic_store(&ekb_state, (++number << 32) | ((unsigned long long)count << 16));
        ekb_ring();
        while (ekb_take()) continue;
        for (int turn = 0; atomic_load(&ekb_done) < count; ++turn) ekb_wait(turn);
        answer = atomic_load(&ekb_answer);
    } else {
        answer = ekb_serial(task, data);
    }
    pthread_mutex_unlock(&ekb_turn);
    return answer;
}

#endif

/* The kernels' machine code calls through this. */
int (*ekb_parallel_launch)(ekb_task task, void *data, int tasks) = ekb_launch;
