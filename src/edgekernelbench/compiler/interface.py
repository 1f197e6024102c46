"""What a compiler is: from a nest to something that runs, plus what it costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Cost:
    """What an artifact costs, apart from time.

    Attributes:
        code_bytes: Size of the machine code; None when the compiler does not say.
        workspace_bytes: Peak workspace by scope.
        notes: Facts for a reader, one sentence each.
    """

    code_bytes: int | None
    workspace_bytes: Mapping[str, int]
    notes: tuple[str, ...] = ()


class Executable(Protocol):
    """A kernel in this process, ready to run.

    Arrays are C-contiguous, 64-byte aligned, in the given (row-major) shapes of the signature;
    scalars have shape `(1,)`; `f16` is `numpy.float16`, `bf16` is `ml_dtypes.bfloat16`; `i4` and `u4` are
    packed `uint8` with half the last size (rounded up). `arrays.place_array` makes them.
    """

    def prepare(self, params: Sequence[Array]) -> None:
        """Run the nest's `prepare` on the parameters; needed before `run`, again for new weights."""
        ...

    def run(self, params: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Run once, filling `outputs`."""
        ...

    def time_batches(
        self, params: Sequence[Sequence[Array]], outputs: Sequence[Sequence[Array]], *, repeats: int
    ) -> tuple[int, ...]:
        """Run each set of buffers in turn, `repeats` rounds, with as little round it as can be.

        Returns:
            One duration a round, integer nanoseconds of a monotonic clock, over all sets.
        """
        ...


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a compiler made: a value that can be read, with the executable beside it.

    Attributes:
        compiler: Name of the compiler.
        nest: What was compiled.
        profile: For which device.
        cost: What it costs.
        listings: Lowered code by kind: `"tir"`, `"llvm"`, `"asm"`, `"c"`.
        executable: Runs it here; None when it was built for another machine.
        count_code: Gives the size of the machine code where that costs as much as compiling; None where
            `cost` says it.
    """

    compiler: str
    nest: Nest
    profile: Profile
    cost: Cost
    listings: Mapping[str, str] = field(repr=False)
    executable: Executable | None = field(repr=False, default=None)
    count_code: Callable[[], int | None] | None = field(repr=False, default=None)


class Compiler(Protocol):
    """A way from a nest to an artifact."""

    name: str

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Compile a nest.

        Args:
            nest: What to compile.
            profile: The device; its threads, vector width and CPU features are used.
            listings: Whether to keep lowered code, which costs time.

        Raises:
            CompileError: When the compiler cannot take the nest.
            PrerequisiteError: When the compiler is not installed.
        """
        ...
