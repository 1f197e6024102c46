"""The threads of exported kernels: every task is run once, whoever is at it, and a child begins anew."""

import subprocess
from pathlib import Path

import pytest

from edgekernelbench.compiler.c.glue import runtime_texts

PROGRAM = r"""
#include "ekb_runtime.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
typedef struct { void *unused; int32_t tasks; } team;
extern int (*ekb_parallel_launch)(int (*)(int, team *, void *), void *, int);
static int count(int number, team *all, void *data) {
    for (int n = number; n < 64; n += all->tasks) ((int *)data)[n] += 1; /* as one thread of so many */
    return 0;
}
static int fail(int number, team *all, void *data) { (void)all; (void)data; return number ? 0 : 7; }
static void *rounds(void *unused) {
    (void)unused;
    for (int round = 0; round < 3000; ++round) {
        int seen[64] = {0};
        if (ekb_parallel_launch(count, seen, 0)) return "an answer";
        for (int n = 0; n < 64; ++n) if (seen[n] != 1) return "a task";
    }
    return 0;
}
static const char *crowd(void) {
    pthread_t others[3];
    void *wrong = rounds(0), *found;
    for (int n = 0; n < 3; ++n) pthread_create(&others[n], 0, rounds, 0);
    for (int n = 0; n < 3; ++n) { pthread_join(others[n], &found); if (found) wrong = found; }
    return wrong;
}
int main(void) {
    const char *wrong = crowd();
    if (ekb_parallel_launch(fail, 0, 0) != 7) wrong = "a failure";
    ekb_set_threads(5);
    if (ekb_threads() != 5 || rounds(0)) wrong = "five threads";
    usleep(20000); /* they sleep by then */
    if (rounds(0)) wrong = "after sleep";
    pid_t child = fork();
    if (!child) _exit(crowd() != 0);
    int status = 1;
    waitpid(child, &status, 0);
    if (status) wrong = "a child";
    ekb_set_threads(1);
    if (rounds(0)) wrong = "one thread";
    puts(wrong ? wrong : "right");
    return 0;
}
"""


@pytest.mark.parametrize(
    "options", [["-DEKB_THREADS=3"], ["-DEKB_THREADS=3", "-DEKB_SPINS=0"]], ids=["spins", "sleeps"]
)
def test_every_task_is_run_once(tmp_path: Path, options: list[str]) -> None:
    for name, text in runtime_texts(2).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "program.c").write_text(PROGRAM, encoding="utf-8")
    sources = [str(tmp_path / name) for name in ("program.c", "ekb_runtime.c")]
    command = ["cc", "-std=gnu11", "-O2", "-pthread", *options, *sources, "-o", str(tmp_path / "program")]
    subprocess.run(command, check=True)
    done = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "right\n"


def test_without_threads_it_needs_no_threads(tmp_path: Path) -> None:
    for name, text in runtime_texts(1).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = tmp_path / "ekb_runtime.o"
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-c", str(tmp_path / "ekb_runtime.c")]
    subprocess.run(["cc", *strict, "-o", str(made)], check=True)
    listed = subprocess.run(["nm", str(made)], capture_output=True, text=True, check=True).stdout
    assert "pthread" not in listed
