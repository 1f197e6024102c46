"""How a stranger's kernel is timed: a process a sample, which sees each of its inputs once.

What a kernel keeps from one call to the next is of no use, since no later call has the same inputs and no
later process its memory. Weights are the same in all calls of a process, as they are for kernels of our
language, whose layouts of weights are prepared ahead of time: what follows from weights alone may be kept.

Calls of a round come one after another. Done together, they would read and convert weights once for all,
which no kernel can that is called once; where weights outweigh inputs, those of a call come with its order.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.evaluator.control.arena import Arena
from edgekernelbench.evaluator.control.process import ORDER_BYTES, Stranger, Turn, add_turns, order_bytes
from edgekernelbench.evaluator.timing import SLOW_RUN_NS, Batch, set_count

Array = NDArray[np.generic]

SAMPLE_NS = 5_000_000
"""A sample is at least so long where there are inputs enough: handing over takes 6 us, and 0.2 us a call."""

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
        self._sets = min(set_count(set_bytes, cache_bytes), len(self._timed))
        self._rounds = 1
        self._given = self._pointers = 0

    def calibrate(self) -> int:
        """Settle how many calls a sample has.

        Returns:
            The duration of a call, roughly.
        """
        single = max(1, self._sample().ns // self._sets)
        if single > SLOW_RUN_NS:
            self._sets = self.runs = 1
            return single
        fitting = next(n for n in range(self._sets, 0, -1) if n == 1 or self._fits(n))
        if fitting >= max(2, self._sets // 2):
            self._sets = fitting
        wanted = -(-SAMPLE_NS // (single * self._sets))
        self._rounds = max(1, min(wanted, len(self._timed) // self._sets))
        self.runs = self._sets * self._rounds
        return max(1, self._sample().ns // self.runs)

    def batch(self) -> Batch:
        """Measure one sample."""
        turn = self._sample()
        return Batch((turn.ns,), turn.threads, turn.cores, turn.waited_ns)

    def _sample(self) -> Turn:
        """Let a fresh process make its calls, a round at a time: as many as there are sets of buffers."""
        order = self._draw(self._sets * self._rounds)
        with self._make_arena(WARM_SLOTS + self._sets) as arena:
            arena.fill_constants(self._warm[0].params)
            for number, draw in enumerate(self._warm):
                arena.fill(number, draw.params)
            with self._start(arena) as stranger:
                stranger.call([arena.offsets(n % WARM_SLOTS) for n in range(WARM_CALLS)])
                starts = range(0, len(order), self._sets)
                turns = [self._round(arena, stranger, order[n : n + self._sets]) for n in starts]
        return add_turns(turns)

    def _round(self, arena: Arena, stranger: Stranger, order: Sequence[Draw]) -> Turn:
        # The process is stopped: it cannot have begun before the clock does, nor go on when it was read.
        for number, draw in enumerate(order, WARM_SLOTS):
            arena.fill(number, draw.params, again=True)
        numbers = range(WARM_SLOTS, WARM_SLOTS + len(order))
        places = [arena.offsets(n) for n in numbers]
        self._given, self._pointers = arena.given, len(places[0])
        # What a call must not see before its turn comes through the pipe.
        is_given = arena.given and stranger.takes(len(order), self._pointers, arena.given)
        turn = stranger.timed(places, [arena.withhold(n) for n in numbers] if is_given else ())
        for number, draw in enumerate(order, WARM_SLOTS):
            self.fault = self.fault or arena.damage(number, draw.params)
            if draw.checked is not None:
                self._keep(draw.checked, arena.outputs(number))
        return turn

    def _fits(self, calls: int) -> bool:
        return not self._given or order_bytes(calls, self._pointers, self._given) <= ORDER_BYTES

    def _draw(self, calls: int) -> list[Draw]:
        """Choose inputs and their order, so that nobody can know them; one has known answers."""
        chance = secrets.SystemRandom()
        checked = [draw for draw in self._timed if draw.checked is not None]
        one = chance.choice(checked)
        others = [draw for draw in self._timed if draw is not one]
        chosen = [one, *chance.sample(others, min(calls - 1, len(others)))]
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
