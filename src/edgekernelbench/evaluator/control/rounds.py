"""How a stranger's kernel is timed: a process a sample, which sees each of its inputs once.

What a kernel keeps from one call to the next is of no use, since no later call has the same inputs and no
later process its memory. Weights are the same in all calls of a process, as they are for kernels of our
language, whose layouts of weights are prepared ahead of time: what follows from weights alone may be kept.

Calls of a round come one after another. Done together, they would keep more threads busy than one call can,
and read and convert weights once for all. So no call sees the inputs of later ones before their turn, where
handing them over with the order takes next to nothing, and wherever weights outweigh them. Elsewhere every
other slot of a round is a decoy: it has inputs like the others and is never called. Who works ahead works in
vain half of the time, and who leaves anything there has written beside its buffers.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.evaluator.control.arena import Arena
from edgekernelbench.evaluator.control.process import ORDER_BYTES, Stranger, Turn, add_turns, calls_within
from edgekernelbench.evaluator.timing import SLOW_RUN_NS, Batch, set_count

Array = NDArray[np.generic]

SAMPLE_NS = 5_000_000
"""A sample is at least so long where there are inputs enough: handing over takes 6 us, and 0.2 us a call."""

HANDED_NS, HANDED_BYTES_PER_NS = 300, 8
"""What handing over the inputs of a call takes, roughly: reading a pipe, and a copy in memory."""

LEAST_OVER_HANDING = 50
"""Inputs are handed over where a call takes so many times as long as that."""

WARM_CALLS, WARM_SLOTS = 6, 2
"""Calls before the clock runs, on inputs of their own: code is there, threads are awake, tables are made."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Inputs for one call.

    Attributes:
        params: All parameters in stored form.
        checked: Which of the drawn inputs with known answers it is; None for the others.
    """

    params: tuple[Array, ...]
    checked: int | None = None


@dataclass(slots=True)
class Kept:
    """What calls on an input with known answers left: the first, and the one farthest from it."""

    first: list[NDArray[np.uint8]]
    farthest: list[NDArray[np.uint8]]
    distance: float = 0.0


class Rounds:
    """Measures in batches, as `timing.Batches` does: a sample each, by a process each.

    Attributes:
        runs: Calls in each sample; known after `calibrate`.
        fault: What a call did beside its work while it was timed; None when nothing.
        kept: Outputs on inputs with known answers, by their numbers.
    """

    def __init__(
        self, draws: Sequence[Draw], make_arena: Callable[[int], Arena], start: Callable[[Arena], Stranger],
        *, set_bytes: int, cache_bytes: int, distance: Callable[[Sequence[Array], Sequence[Array]], float],
    ) -> None:  # fmt: skip
        """Take the inputs.

        Args:
            draws: More than two; the last ones warm up.
            make_arena: Makes shared memory for a number of calls.
            start: Starts a process on it.
            set_bytes: Bytes of inputs and outputs of a call.
            cache_bytes: What the calls of a sample must exceed together.
            distance: How far outputs are from others.
        """
        self.runs = 1
        self.fault: str | None = None
        self.kept: dict[int, Kept] = {}
        self._timed = list(draws[:-WARM_SLOTS])
        self._warm = list(draws[-WARM_SLOTS:])
        self._make_arena, self._start, self._distance = make_arena, start, distance
        # As many as others rotate: fewer would be found in a cache, more would leave a larger one.
        self._slots = min(set_count(set_bytes, cache_bytes), len(self._timed))
        self._rounds = 1
        with make_arena(1) as arena:
            self._pointers, self._given = len(arena.offsets(0)), arena.given
            self._hands_over = arena.outweighed
        if self._hands_over:
            self._slots = self._fitting()

    def calibrate(self) -> int:
        """Settle how many calls a sample has.

        Returns:
            The duration of a call, roughly.
        """
        single = max(1, self._sample().ns // self._calls)
        if single > SLOW_RUN_NS:
            self._slots = self.runs = 1
            return single
        fitting, cost = self._fitting(), HANDED_NS + self._given // HANDED_BYTES_PER_NS
        if fitting >= max(2, self._slots // 2) and LEAST_OVER_HANDING * cost <= single:
            self._slots, self._hands_over = fitting, True
        wanted = -(-SAMPLE_NS // (single * self._calls))
        self._rounds = max(1, min(wanted, len(self._timed) // self._slots))
        self.runs = self._calls * self._rounds
        return max(1, self._sample().ns // self.runs)

    @property
    def _calls(self) -> int:
        """How many slots of a round are called."""
        return self._slots if self._hands_over else max(1, self._slots // 2)

    def _fitting(self) -> int:
        """Say for how many slots of a round inputs fit into the pipe; alone, a call needs not wait there."""
        return max(1, min(self._slots, calls_within(ORDER_BYTES, self._pointers, self._given)))

    def batch(self) -> Batch:
        """Measure one sample."""
        turn = self._sample()
        return Batch((turn.ns,), turn.threads, turn.cores, turn.waited_ns)

    def _sample(self) -> Turn:
        """Let a fresh process make its calls, a round at a time."""
        order = self._draw(self._slots * self._rounds)
        with self._make_arena(WARM_SLOTS + self._slots) as arena:
            arena.fill_constants(self._warm[0].params)
            for number, draw in enumerate(self._warm):
                arena.fill(number, draw.params)
            with self._start(arena) as stranger:
                stranger.call([arena.offsets(n % WARM_SLOTS) for n in range(WARM_CALLS)])
                step = self._slots
                if self._hands_over:  # not every system gives a pipe the room that was asked for
                    step = min(step, max(1, stranger.takes(self._pointers, self._given)))
                starts = range(0, len(order), step)
                turns = [self._round(arena, stranger, order[n : n + step]) for n in starts]
        return add_turns(turns)

    def _round(self, arena: Arena, stranger: Stranger, order: Sequence[Draw]) -> Turn:
        # The process is stopped: it cannot have begun before the clock does, nor go on when it was read.
        for number, draw in enumerate(order, WARM_SLOTS):
            arena.fill(number, draw.params, again=True)
        called = self._called(order)
        is_given = self._hands_over and stranger.takes(self._pointers, self._given) >= len(called)
        given = [arena.withhold(n) for n in called] if is_given else ()
        turn = stranger.timed([arena.offsets(n) for n in called], given)
        for number, draw in enumerate(order, WARM_SLOTS):
            if number not in called:
                left = arena.is_untouched(number, draw.params, again=True)
                self.fault = self.fault or (None if left else "guard")
                continue
            self.fault = self.fault or arena.damage(number, draw.params)
            if draw.checked is not None:
                self._keep(draw.checked, arena.outputs(number))
        return turn

    def _called(self, order: Sequence[Draw]) -> list[int]:
        """Choose the slots that are called, those with known answers first; the others are decoys."""
        count = len(order) if self._hands_over else max(1, len(order) // 2)
        numbers = list(range(len(order)))
        secrets.SystemRandom().shuffle(numbers)
        numbers.sort(key=lambda n: order[n].checked is None)
        return sorted(WARM_SLOTS + n for n in numbers[:count])

    def _draw(self, slots: int) -> list[Draw]:
        """Choose inputs and their order, so that nobody can know them; one has known answers."""
        chance = secrets.SystemRandom()
        checked = [draw for draw in self._timed if draw.checked is not None]
        one = chance.choice(checked)
        others = [draw for draw in self._timed if draw is not one]
        chosen = [one, *chance.sample(others, min(slots - 1, len(others)))]
        chance.shuffle(chosen)
        return chosen

    def _keep(self, number: int, outputs: list[NDArray[np.uint8]]) -> None:
        copies = [output.copy() for output in outputs]
        known = self.kept.get(number)
        if known is None:
            self.kept[number] = Kept(copies, copies)
            return
        if all(map(np.array_equal, known.first, copies)):
            return
        distance = self._distance(known.first, copies)
        if distance >= known.distance:
            known.distance, known.farthest = distance, copies
