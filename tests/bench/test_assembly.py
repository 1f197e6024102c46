"""Stages at one time: bounded, told of on one thread, stopped by the first failure."""

import threading
import time
from collections.abc import Callable, Iterable

import pytest

from edgekernelbench.bench.assembly import Assembly, Stage, Stopped


def test_items_go_through_all_stages_and_what_came_of_them_is_told_here() -> None:
    heard: list[tuple[int, str]] = []

    def hear(number: int) -> None:
        line.tell(lambda: heard.append((number, here())))

    with Assembly() as line:
        last: Stage[int] = line.stage("last", 2, 1, hear)
        first: Stage[int] = line.stage("first", 1, 0, lambda n: first.hand_on(2 * n, last))
        for number in range(20):
            first.put(number)
        line.wait()
        rates = {rate.name: rate for rate in line.rates()}
    assert sorted(n for n, _ in heard) == list(range(0, 40, 2))
    assert {name for _, name in heard} == {here()}
    assert (rates["first"].done, rates["last"].done) == (20, 20)
    assert (rates["first"].threads, rates["last"].threads) == (1, 2)


def here() -> str:
    return threading.current_thread().name


def test_who_is_fast_waits_for_who_is_slow() -> None:
    waiting = 0
    most = 0
    lock = threading.Lock()

    def make(number: int) -> None:
        nonlocal waiting, most
        with lock:
            waiting += 1
            most = max(most, waiting)
        fast.hand_on(number, slow)

    def take(number: int) -> None:
        nonlocal waiting
        time.sleep(0.01)
        with lock:
            waiting -= 1

    with Assembly() as line:
        slow = line.stage("slow", 1, 2, take)
        fast = line.stage("fast", 1, 0, make)
        for number in range(15):
            fast.put(number)
        line.wait()
        rates = {rate.name: rate for rate in line.rates()}
    assert most <= 5, "one at work, two that wait for it, one at each hand"
    assert rates["slow"].busy_ns > 100_000_000
    assert rates["fast"].busy_ns < 50_000_000, "waiting for the next stage is no work"


def put_all(numbers: Iterable[int], work: Callable[[int], None]) -> None:
    with Assembly() as line:
        stage = line.stage("only", 1, 100, work)
        for number in numbers:
            stage.put(number)
        line.wait()


def test_the_first_failure_ends_all_and_is_the_one_that_is_told() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        if number == 3:
            raise ValueError("the third")
        time.sleep(0.005)
        done.append(number)

    with pytest.raises(ValueError, match="the third"):
        put_all(range(50), work)
    assert len(done) < 20


def test_after_an_interruption_what_is_at_work_ends_and_is_told() -> None:
    told: list[int] = []
    begun = threading.Event()
    line = Assembly()

    def work(number: int) -> None:
        begun.set()
        time.sleep(0.05)
        line.tell(lambda: told.append(number))

    def interrupted() -> None:
        with line:
            stage = line.stage("only", 1, 10, work)
            for number in range(5):
                stage.put(number)
            begun.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert told == [0]


def test_nothing_is_put_where_all_was_stopped() -> None:
    with Assembly() as line:
        stage: Stage[int] = line.stage("only", 1, 1, lambda _: None)
    with pytest.raises(Stopped):
        stage.put(1)


def test_draining_waits_for_what_is_inside() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.02)
        done.append(number)

    with Assembly() as line:
        stage = line.stage("only", 2, 2, work)
        for number in range(4):
            stage.put(number)
        stage.drain()
        assert sorted(done) == [0, 1, 2, 3]
