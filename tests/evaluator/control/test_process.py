"""What a process of a stranger cannot do, whatever its code is: built here without the screen of texts."""

import subprocess
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from edgekernelbench.compiler.control.prototype import entry_source
from edgekernelbench.evaluator.control.arena import Arena
from edgekernelbench.evaluator.control.process import Stranger, StrangerLost
from edgekernelbench.evaluator.sheets import Slot
from edgekernelbench.ir.dtype import DType

INCLUDES = (
    *("fcntl.h", "errno.h", "pthread.h", "signal.h", "stdlib.h", "stdint.h", "string.h", "unistd.h"),
    *(f"sys/{name}.h" for name in ("mman", "prctl", "ptrace", "shm", "socket", "syscall")),
)
HEAD = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}>\n" for name in INCLUDES)
SLOTS = (Slot(0, DType.F32, (8,)),)
X = np.arange(8, dtype=np.float32)

CALLS = {
    "opens a file": 'open("/etc/passwd", O_RDONLY);',
    "makes a file": "memfd_create(\"kept\", 0);",
    "kills its parent": "kill(getppid(), SIGKILL);",
    "forks": "fork();",
    "makes a socket": "socket(AF_UNIX, SOCK_STREAM, 0);",
    "keeps memory beyond its end": "shmget(42, 4096, IPC_CREAT | 0600);",
    "looks into another process": "ptrace(PTRACE_ATTACH, getppid(), 0, 0);",
    "catches signals": "signal(SIGSEGV, SIG_IGN);",
    "makes memory that runs": "mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
    "makes its own code writable": "mprotect((void *)((uintptr_t)kernel & ~4095ul), 4096, 7);",
    "reads from elsewhere": "char c; if (read(0, &c, 1) < 2) out[0] = 1;",
    "writes elsewhere": 'if (write(2, "x", 1) < 2) out[0] = 1;',
    "sets an alarm": "alarm(1);",
    "turns to another core": "syscall(SYS_sched_setaffinity, 0, 8, \"\\1\\0\\0\\0\\0\\0\\0\");",
    "wants a session of its own": "setsid();",
}  # fmt: skip


def program(body: str, folder: Path, taken: str = "const float *x, float *out") -> Path:
    (folder / "kernel.h").write_text(f"void kernel({taken});\n", encoding="utf-8")
    runner = files("edgekernelbench.compiler.control") / "data" / "runner.c"
    (folder / "runner.c").write_text(runner.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "entry.c").write_text(entry_source(taken.count("*")), encoding="utf-8")
    (folder / "kernel.c").write_text(f'{HEAD}#include "kernel.h"\n{body}\n', encoding="utf-8")
    command = ["cc", "-O1", "-w", "-fopenmp", "runner.c", "entry.c", "kernel.c", "-o", "it", "-lpthread"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    return folder / "it"


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena(SLOTS, SLOTS, (False,), 3) as made:
        for number in range(3):
            made.fill(number, [X])
        yield made


def started(program: Path, arena: Arena, threads: int = 1) -> Stranger:
    return Stranger(program, arena.handle, arena.size, 2, threads)


def test_a_kernel_is_called_with_its_buffers(tmp_path: Path, arena: Arena) -> None:
    body = "void kernel(const float *x, float *out) { for (int i = 0; i < 8; ++i) out[i] = 2 * x[i]; }"
    with started(program(body, tmp_path), arena) as stranger:
        stranger.call([arena.offsets(0)])
        turn = stranger.timed([arena.offsets(1), arena.offsets(2)])
    assert turn.ns > 0
    assert turn.threads == 1
    for number in range(3):
        assert np.array_equal(arena.outputs(number)[0].view(np.float32), 2 * X)
        assert arena.damage(number, [X]) is None


@pytest.mark.parametrize("code", [81, 82])
def test_a_kernel_that_ends_as_if_the_system_lacked_something_ended_itself(
    tmp_path: Path, arena: Arena, code: int
) -> None:
    """Else the attempt would be unjudged, and made again: another try for whoever is about to fail."""
    body = f"void kernel(const float *x, float *out) {{ exit({code}); }}"
    with (
        started(program(body, tmp_path), arena) as stranger,
        pytest.raises(StrangerLost, match="exited with"),
    ):
        stranger.call([arena.offsets(0)])


def test_inputs_that_are_given_with_a_call_are_nowhere_before_its_turn(tmp_path: Path) -> None:
    body = """void kernel(const float *w, const float *x, float *out) {
        for (int i = 0; i < 8; ++i) out[i] = x[i] + ((const float *)((const char *)x + STRIDE))[i];
    }"""
    with Arena((*SLOTS, *SLOTS), SLOTS, (True, False), 3) as arena:
        assert arena.given == X.nbytes
        arena.fill_constants([X, X])
        for number in range(3):
            arena.fill(number, [X, X])
        stride = arena.offsets(1)[1] - arena.offsets(0)[1]
        made = program(
            body.replace("STRIDE", str(stride)), tmp_path, "const float *w, const float *x, float *out"
        )
        with Stranger(made, arena.handle, arena.size, 3, 1) as stranger:
            stranger.call([arena.offsets(0)])
            assert np.array_equal(arena.outputs(0)[0].view(np.float32), 2 * X)
            given = [arena.withhold(number) for number in (0, 1)]
            stranger.timed([arena.offsets(number) for number in (0, 1)], given)
        for number, sees in ((0, X), (1, 2 * X)):
            assert np.array_equal(arena.outputs(number)[0].view(np.float32), sees)
            assert arena.damage(number, [X, X]) is None


@pytest.mark.parametrize("name", CALLS)
def test_a_system_call_ends_the_process(name: str, tmp_path: Path, arena: Arena) -> None:
    body = f"void kernel(const float *x, float *out) {{ {CALLS[name]} }}"
    with started(program(body, tmp_path), arena) as stranger, pytest.raises(StrangerLost) as caught:
        stranger.call([arena.offsets(0)])
    assert "system call" in caught.value.detail


def test_one_thread_means_one(tmp_path: Path, arena: Arena) -> None:
    body = """
    static void *other(void *p) { return p; }
    void kernel(const float *x, float *out) { pthread_t t; pthread_create(&t, 0, other, 0); }"""
    with started(program(body, tmp_path), arena) as stranger, pytest.raises(StrangerLost):
        stranger.call([arena.offsets(0)])


def test_who_returns_early_and_works_on_is_stopped_before_anybody_looks(tmp_path: Path, arena: Arena) -> None:
    body = """
    static float *place;
    static void *later(void *p) {
        for (volatile int64_t n = 0; n < 400000000; ++n) {}
        for (int i = 0; i < 8; ++i) place[i] = 1;
        return p;
    }
    void kernel(const float *x, float *out) { pthread_t t; place = out; pthread_create(&t, 0, later, 0); }"""
    with started(program(body, tmp_path), arena, threads=2) as stranger:
        stranger.call([arena.offsets(0)])
        assert arena.damage(0, [X]) == "unwritten"


def test_nobody_works_while_inputs_are_written(tmp_path: Path, arena: Arena) -> None:
    """A thread copies whatever it finds in the second slot; it finds what was there when it was stopped."""
    body = """
    static const volatile float *next;
    static volatile float *left;
    static void *spy(void *p) { for (;;) left[0] = next[0]; }
    void kernel(const float *x, float *out) {
        pthread_t t;
        if (next) return;
        left = out, next = (const float *)((const char *)x + STRIDE);
        pthread_create(&t, 0, spy, 0);
        for (volatile int n = 0; n < 20000000; ++n) {}
    }"""
    stride = arena.offsets(1)[0] - arena.offsets(0)[0]
    arena.fill(1, [X + 5])
    with started(program(body.replace("STRIDE", str(stride)), tmp_path), arena, threads=2) as stranger:
        stranger.call([arena.offsets(0)])
        arena.fill(1, [X + 9])
        time.sleep(0.05)
        assert arena.outputs(0)[0].view(np.float32)[0] == 5


def test_who_leaves_quietly_is_lost(tmp_path: Path, arena: Arena) -> None:
    body = """
    void kernel(const float *x, float *out) {
        for (int i = 0; i < 8; ++i) out[i] = 1;
        if (x[0] == 0) exit(0);
    }"""
    with started(program(body, tmp_path), arena) as stranger, pytest.raises(StrangerLost) as caught:
        stranger.call([arena.offsets(0), arena.offsets(1)])
    assert caught.value.signal is None
    assert "exited with 0" in caught.value.detail


def test_what_a_run_does_beside_its_work_is_seen(arena: Arena) -> None:
    assert arena.damage(0, [X]) == "unwritten"
    arena.outputs(0)[0][:] = 0
    assert arena.damage(0, [X]) is None
    assert arena.damage(0, [X + 1]) == "input-changed"
    arena.outputs(0)[0][:4] = np.frombuffer(b"\xa5\xa5\xf5\xff", np.uint8)
    assert arena.damage(0, [X]) == "unwritten"


@pytest.mark.parametrize("beyond", [-1, 32])
def test_a_byte_beside_a_buffer_is_seen(beyond: int, tmp_path: Path, arena: Arena) -> None:
    body = f"void kernel(const float *x, float *out) {{ memset(out, 1, 32); ((char *)out)[{beyond}] ^= 1; }}"
    with started(program(body, tmp_path), arena) as stranger:
        stranger.call([arena.offsets(1)])
    assert arena.damage(1, [X]) == "guard"
