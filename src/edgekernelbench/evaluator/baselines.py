"""What a kernel is timed beside."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from edgekernelbench.base.errors import EkbError
from edgekernelbench.compiler.control.prototype import write_prototype
from edgekernelbench.evaluator.environment import CONTROL, TUNER
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.evaluator.trial import Assignment
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload

FindServer = Callable[[str], Hands]
"""Gives the fork server of a name."""


class UnfitError(EkbError):
    """A contender cannot compute the workload; the message says why."""


class Contender(Protocol):
    """One way to compute a workload, in a process of its own."""

    @property
    def name(self) -> str:
        """What a record calls it."""
        ...

    @property
    def server(self) -> str:
        """Which fork server its workers come from."""
        ...

    def loops(self, workload: Workload) -> bool:
        """Whether it is a Python loop over data, whose time says nothing of what it calls."""
        ...

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do.

        Raises:
            UnfitError: When it cannot compute the workload.
        """
        ...


class Baseline(Protocol):
    """Something that kernels are timed beside: the fastest correct one of its contenders."""

    @property
    def name(self) -> str:
        """The name under which its times are stored."""
        ...

    @property
    def required(self) -> bool:
        """Whether nothing is timed without it; else a kernel is timed beside the others, with a flag."""
        ...

    @property
    def contenders(self) -> Sequence[Contender]:
        """What it is the fastest of."""
        ...

    def text(self, workload: Workload) -> str | None:
        """Give the kernel text that it is for a workload; None when it is none."""
        ...


@dataclass(frozen=True, slots=True)
class Bench:
    """How kernel texts are run on a device.

    Attributes:
        profile: The device.
        compiler: Name of the compiler.
    """

    profile: Profile
    compiler: str

    def assignment(self, kernel: Kernel, limits: Limits) -> Assignment:
        """Say what the worker of a kernel is to do."""
        fields: dict[str, object] = {
            "text": print_kernel(kernel),
            "profile": asdict(self.profile),
            "compiler": self.compiler,
        }
        return self._assigned("kernel", fields, kernel, limits)

    def traced_assignment(self, kernel: Kernel, traced: str, limits: Limits) -> Assignment:
        """Say what the worker of a kernel that TVM scheduled is to do.

        Args:
            kernel: The kernel, for its parameters.
            traced: The same with its traces, as JSON.
            limits: What the worker may use.
        """
        return self._assigned("traced", {"traced": traced, "profile": asdict(self.profile)}, kernel, limits)

    def control_assignment(self, kernel: Kernel, text: str, limits: Limits) -> Assignment:
        """Say what the worker of a text in plain C is to do.

        Args:
            kernel: The canonical kernel, for its signature.
            text: The C text.
            limits: What the worker may use.
        """
        outputs = tuple((s.dtype, s.shape) for s in outputs_of(kernel))
        prototype = asdict(write_prototype(kernel.params, outputs))
        fields: dict[str, object] = {"text": text, "prototype": prototype, "threads": self.profile.threads}
        return self._assigned(CONTROL, fields, kernel, limits)

    def _assigned(self, role: str, fields: dict[str, object], kernel: Kernel, limits: Limits) -> Assignment:
        return Assignment(
            role=role,
            fields=fields,
            param_forms=tuple((p.dtype, p.shape) for p in kernel.params),
            const=tuple(p.const for p in kernel.params),
            limits=limits,
            cache_bytes=self.profile.cache_bytes[-1] if self.profile.cache_bytes else 0,
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """What is judged: a text of ours, one that TVM scheduled, or one in plain C.

    Attributes:
        bench: How it is run.
        kernel: The kernel; for plain C the canonical one, whose signature it has.
        traced: The kernel with its traces, as JSON; empty for a text of ours.
        plain: The C text; empty for others.
    """

    bench: Bench
    kernel: Kernel
    traced: str = ""
    plain: str = ""

    @property
    def server(self) -> str:
        """Which fork server its workers come from."""
        return CONTROL if self.plain else TUNER if self.traced else "compiler"

    def assignment(self, limits: Limits) -> Assignment:
        """Say what its worker is to do."""
        if self.plain:
            return self.bench.control_assignment(self.kernel, self.plain, limits)
        if self.traced:
            return self.bench.traced_assignment(self.kernel, self.traced, limits)
        return self.bench.assignment(self.kernel, limits)


class DefaultBaseline:
    """The default lowering of the canonical text, through the same compiler as the kernel."""

    name = "default"
    server = "compiler"
    required = True

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kernels: dict[str, Kernel] = {}

    @property
    def contenders(self) -> Sequence[Contender]:
        """Itself alone."""
        return (self,)

    def loops(self, workload: Workload) -> bool:
        """Never: it is compiled."""
        return False

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do."""
        return self._bench.assignment(self._kernel(workload), limits)

    def text(self, workload: Workload) -> str:
        """Give the text that the default lowering writes."""
        return print_kernel(self._kernel(workload))

    def _kernel(self, workload: Workload) -> Kernel:
        """Write the text, once a workload."""
        if workload.id not in self._kernels:
            profile = self._bench.profile
            facts = verify_compute(workload.kernel())
            self._kernels[workload.id] = default_lowering(facts, profile.target, profile)
        return self._kernels[workload.id]
