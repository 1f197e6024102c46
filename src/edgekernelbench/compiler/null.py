"""A compiler that compiles nothing: for tests of what stands above, and for machines without one."""

from collections.abc import Callable, Sequence

import numpy as np

from edgekernelbench.compiler.arena import plan_arena
from edgekernelbench.compiler.arrays import Array, check_arrays
from edgekernelbench.compiler.cost import stored_cost
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

Answer = Callable[[Nest, Sequence[Array]], Sequence[Array]]
"""Gives the outputs for parameters, each broadcast into its buffer."""


class NullExecutable:
    """Answers from a function, or with zeros, and takes a fixed time."""

    def __init__(self, nest: Nest, answer: Answer | None, nanoseconds: int) -> None:
        self._nest = nest
        self._answer = answer
        self._nanoseconds = nanoseconds

    def prepare(self, params: Sequence[Array]) -> None:
        """Check the parameters."""
        check_arrays(self._nest.params, params, "parameters")

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the outputs."""
        check_arrays(self._nest.params, params, "parameters")
        check_arrays(self._nest.outputs, outputs, "outputs")
        zeros = [np.zeros((), output.dtype) for output in outputs]
        answers = zeros if self._answer is None else self._answer(self._nest, params)
        for output, answer in zip(outputs, answers, strict=True):
            output[...] = answer

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set once, and say that each took the fixed time."""
        for given, filled in zip(params, outputs, strict=True):
            self.run(given, filled)
        return (self._nanoseconds * len(params),) * repeats


class NullCompiler:
    """Accepts every nest.

    Args:
        answer: What the executables answer; None for zeros.
        nanoseconds: How long they say that one run took.
    """

    name = "null"

    def __init__(self, answer: Answer | None = None, nanoseconds: int = 1000) -> None:
        self._answer = answer
        self._nanoseconds = nanoseconds

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Wrap a nest.

        Args:
            nest: Any nest.
            profile: The device.
            listings: Whether to keep listings, of which there are none.

        Returns:
            An artifact whose code has no bytes.
        """
        cost = stored_cost(nest, plan_arena(nest.body, profile.stack_bytes), profile.threads, code_bytes=0)
        executable = NullExecutable(nest, self._answer, self._nanoseconds)
        return Artifact(self.name, nest, profile, cost, {"none": ""} if listings else {}, executable)
