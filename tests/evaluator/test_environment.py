"""What workers see of this machine."""

import os

from edgekernelbench.evaluator.environment import scratch_root, worker_cores, worker_environment


def test_keys_and_homes_are_not_passed_on() -> None:
    given = {"PATH": "/bin", "EKB_API_KEY": "secret", "HOME": "/home/me", "AWS_SECRET": "x"}

    environment = worker_environment(2, given)

    assert environment["PATH"] == "/bin"
    assert not {"EKB_API_KEY", "HOME", "AWS_SECRET"} & set(environment)


def test_every_runtime_gets_the_same_number_of_threads() -> None:
    environment = worker_environment(3, {})

    assert {environment[n] for n in ("OMP_NUM_THREADS", "TVM_NUM_THREADS", "MKL_NUM_THREADS")} == {"3"}


def test_threads_of_openmp_spin_for_a_while_and_not_for_long() -> None:
    assert 1000 < int(worker_environment(2, {})["GOMP_SPINCOUNT"]) < 100_000


def test_there_are_as_many_cores_as_threads_where_the_machine_has_them() -> None:
    cores = worker_cores(1)

    assert len(cores) == 1
    assert set(cores) <= os.sched_getaffinity(0)
    assert len(worker_cores(10_000)) == len(os.sched_getaffinity(0))


def test_scratch_folders_go_where_one_can_write() -> None:
    assert os.access(scratch_root(), os.W_OK)
