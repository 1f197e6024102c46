"""A kernel as an object file whose functions any program can call: pointers in, a number out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from edgekernelbench.nest.tree import Buffer, Nest

PARALLEL = "ekb_parallel_launch"
"""What an object file calls for a parallel loop; `ekb_runtime.c` has it."""


@dataclass(frozen=True, slots=True)
class Area:
    """What one function needs besides its arguments.

    Attributes:
        run_bytes: Workspace of the whole run.
        lane_bytes: Workspace that its threads share out.
    """

    run_bytes: int
    lane_bytes: int

    @property
    def total(self) -> int:
        """Bytes of both."""
        return self.run_bytes + self.lane_bytes


@dataclass(frozen=True, slots=True)
class PlainKernel:
    """A kernel in an object file.

    Both functions take a pointer for each of `arguments`, then the workspace of the run and that of the
    threads, and give an `int`, which is 0.

    Attributes:
        nest: What was compiled.
        run: Name of the function that runs once.
        prepare: Name of the function that runs once per weights.
        run_area: What `run` needs.
        prepare_area: What `prepare` needs.
    """

    nest: Nest
    run: str
    prepare: str
    run_area: Area
    prepare_area: Area

    @property
    def arguments(self) -> tuple[Buffer, ...]:
        """The buffers that both functions take, in order."""
        nest = self.nest
        return (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)

    @property
    def workspace_bytes(self) -> int:
        """What either function needs."""
        return max(self.run_area.total, self.prepare_area.total)


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Machine code for one architecture.

    Attributes:
        code: The file.
        kernels: What is in it, by the beginning of the names of the functions.
        threads: Threads that parallel loops were cut for.
    """

    code: bytes = field(repr=False)
    kernels: Mapping[str, PlainKernel]
    threads: int
