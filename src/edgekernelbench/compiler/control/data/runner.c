/* Runs a kernel that a stranger wrote in C, and nothing else: the whole program of its process.

   runner ARENA SIZE ORDERS ANSWERS POINTERS THREADS

   ARENA is a file of shared memory with all buffers; ORDERS and ANSWERS are pipes. An order is a count and a
   size, and for each call POINTERS offsets into the arena, one more, and as many bytes as the size says, which
   are put there: inputs that were nowhere before. One byte answers it, and one comes before all orders. Who orders holds the clock, and reads
   the arena itself: nothing that this process says or does about time or values is believed.

   Before the first call all system calls are given up but those below; any other ends the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void ekb_entry(void *const *buffers);

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#error "plain C is run on x86-64 and aarch64"
#endif

enum { NO_ROOM = 81, NO_FILTER = 82, MOST_POINTERS = 256, MOST_STEPS = 128 };
enum { THREAD_FLAG = 0x10000 }; /* CLONE_THREAD */

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
#define ARGUMENT(n) (FIELD(args) + 8 * (n)) /* its low half: all machines above are little-endian */

static struct sock_filter steps[MOST_STEPS];
static unsigned short count;

static void step(uint16_t code, uint8_t yes, uint8_t no, uint32_t operand) {
    steps[count++] = (struct sock_filter){code, yes, no, operand};
}

static void answer(uint32_t value) { step(BPF_RET | BPF_K, 0, 0, value); }

/* Each rule is skipped by who makes another call. */
static void allow(long call) {
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)call);
    answer(SECCOMP_RET_ALLOW);
}

static void refuse(long call, int number) {
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)call);
    answer(SECCOMP_RET_ERRNO | (uint32_t)number);
}

static void allow_if_equal(long call, int argument, uint32_t value) {
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)call);
    step(BPF_LD | BPF_W | BPF_ABS, 0, 0, ARGUMENT(argument));
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_KILL_PROCESS);
}

/* All bits of `has`, none of `lacks`, in two arguments. */
static void allow_if_bits(long call, int first, uint32_t has, int second, uint32_t lacks) {
    step(BPF_JMP | BPF_JEQ | BPF_K, 0, 6, (uint32_t)call);
    step(BPF_LD | BPF_W | BPF_ABS, 0, 0, ARGUMENT(first));
    step(BPF_JMP | BPF_JSET | BPF_K, 0, 3, has);
    step(BPF_LD | BPF_W | BPF_ABS, 0, 0, ARGUMENT(second));
    step(BPF_JMP | BPF_JSET | BPF_K, 1, 0, lacks);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_KILL_PROCESS);
}

static int give_up_calls(int orders, int answers, int threads) {
    step(BPF_LD | BPF_W | BPF_ABS, 0, 0, FIELD(arch));
    step(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, MACHINE);
    answer(SECCOMP_RET_KILL_PROCESS);
    step(BPF_LD | BPF_W | BPF_ABS, 0, 0, FIELD(nr));
    allow_if_equal(SYS_read, 0, (uint32_t)orders);
    allow_if_equal(SYS_write, 0, (uint32_t)answers);
    /* Memory: of no file, and never to be executed. */
    allow_if_bits(SYS_mmap, 3, MAP_ANONYMOUS, 2, PROT_EXEC);
    allow_if_bits(SYS_mprotect, 2, PROT_READ | PROT_WRITE, 2, PROT_EXEC);
    static const long calls[] = {
        SYS_futex, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_sched_yield, SYS_exit, SYS_exit_group,
        SYS_restart_syscall, SYS_gettid, SYS_getpid, SYS_rt_sigprocmask, SYS_set_robust_list,
        SYS_sched_getaffinity, SYS_rt_sigreturn, SYS_clock_gettime,
#ifdef SYS_rseq
        SYS_rseq,
#endif
    };
    for (size_t n = 0; n < sizeof calls / sizeof *calls; ++n) allow(calls[n]);
    if (threads > 1) {
        allow_if_bits(SYS_clone, 0, THREAD_FLAG, 0, 0);
#ifdef SYS_clone3
        refuse(SYS_clone3, ENOSYS); /* its flags are out of sight: the library then takes clone */
#endif
    }
    refuse(SYS_prctl, EINVAL);
    answer(SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {count, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    /* The threads that were started already are bound as well. */
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int get(int orders, void *place, size_t size) {
    for (char *at = place; size;) {
        const ssize_t got = read(orders, at, size);
        if (got <= 0) return 0;
        at += got, size -= (size_t)got;
    }
    return 1;
}

int main(int argc, char **words) {
    if (argc != 7) return NO_ROOM;
    const int arena = atoi(words[1]), orders = atoi(words[3]), answers = atoi(words[4]);
    const size_t size = strtoull(words[2], NULL, 10), pointers = strtoull(words[5], NULL, 10);
    const int threads = atoi(words[6]);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || pointers > MOST_POINTERS) return NO_ROOM;
    /* Populated now: a page that is first touched while the clock runs would cost a fault. */
    unsigned char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, arena, 0);
    if (base == MAP_FAILED) return NO_ROOM;
    close(arena);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    { __asm__ volatile("" ::: "memory"); } /* the team is there, and its filter with it */
#endif
    if (give_up_calls(orders, answers, threads)) return NO_FILTER;
    if (write(answers, "r", 1) != 1) return NO_ROOM; /* however it ends from here on, it is the kernel's doing */
    for (int64_t order[2]; get(orders, order, sizeof order);) {
        while (order[0]-- > 0) {
            int64_t offsets[MOST_POINTERS + 1];
            void *buffers[MOST_POINTERS];
            if (!get(orders, offsets, (pointers + 1) * sizeof *offsets)) return NO_ROOM;
            if (order[1] && !get(orders, base + offsets[pointers], (size_t)order[1])) return NO_ROOM;
            for (size_t n = 0; n < pointers; ++n) buffers[n] = base + offsets[n];
            ekb_entry(buffers);
        }
        if (write(answers, "d", 1) != 1) return NO_ROOM;
    }
    return 0;
}
