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

static pthread_mutex_t ekb_turn = PTHREAD_MUTEX_INITIALIZER;  /* held while a loop runs */
static pthread_mutex_t ekb_bed = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ekb_bell = PTHREAD_COND_INITIALIZER;
static pthread_t ekb_workers[EKB_MOST];
static int ekb_wanted, ekb_started; /* threads in all; workers that run */
static atomic_uint ekb_round;
static atomic_int ekb_asleep, ekb_left, ekb_answer;
static struct {
    ekb_task task;
    void *data;
    ekb_team team;
    int stop;
} ekb_job;

static void ekb_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    __asm__ volatile("yield");
#endif
}

static void *ekb_work(void *argument) {
    int number = (int)(intptr_t)argument;
    unsigned seen = 0;
    for (;;) {
        for (int turn = 0; turn < EKB_SPINS && atomic_load(&ekb_round) == seen; ++turn) ekb_pause();
        if (atomic_load(&ekb_round) == seen) {
            pthread_mutex_lock(&ekb_bed);
            atomic_fetch_add(&ekb_asleep, 1);
            while (atomic_load(&ekb_round) == seen) pthread_cond_wait(&ekb_bell, &ekb_bed);
            atomic_fetch_sub(&ekb_asleep, 1);
            pthread_mutex_unlock(&ekb_bed);
        }
        seen = atomic_load(&ekb_round);
        if (ekb_job.stop) return 0;
        int answer = ekb_job.task(number, &ekb_job.team, ekb_job.data);
        if (answer) atomic_store(&ekb_answer, answer);
        atomic_fetch_sub(&ekb_left, 1);
    }
}

static void ekb_ring(void) {
    atomic_fetch_add(&ekb_round, 1);
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
    if (!ekb_started) atomic_store(&ekb_round, 0);
    while (ekb_started < workers) {
        void *number = (void *)(intptr_t)(ekb_started + 1);
        if (pthread_create(&ekb_workers[ekb_started], 0, ekb_work, number)) break;
        ++ekb_started;
    }
}

static void ekb_stop(void) {
    if (!ekb_started) return;
    ekb_job.stop = 1;
    ekb_ring();
    for (int worker = 0; worker < ekb_started; ++worker) pthread_join(ekb_workers[worker], 0);
    ekb_job.stop = ekb_started = 0;
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
    (void)tasks;
    if (pthread_mutex_trylock(&ekb_turn)) return ekb_serial(task, data); /* another thread has the pool */
    int workers = ekb_count() - 1, answer;
    if (ekb_started != workers) {
        ekb_stop();
        ekb_start(workers);
        ekb_wanted = ekb_started + 1; /* no more could be had */
    }
    if (ekb_started) {
        ekb_job.task = task;
        ekb_job.data = data;
        ekb_job.team.tasks = ekb_started + 1;
        atomic_store(&ekb_answer, 0);
        atomic_store(&ekb_left, ekb_started);
        ekb_ring();
        answer = task(0, &ekb_job.team, data);
        for (int turn = 0; atomic_load(&ekb_left); ++turn) {
            ekb_pause();
            if (turn > EKB_SPINS) sched_yield();
        }
        if (atomic_load(&ekb_answer)) answer = atomic_load(&ekb_answer);
    } else {
        answer = ekb_serial(task, data);
    }
    pthread_mutex_unlock(&ekb_turn);
    return answer;
}

#endif

/* The kernels' machine code calls through this. */
int (*ekb_parallel_launch)(ekb_task task, void *data, int tasks) = ekb_launch;
