"""What a kernel is timed beside."""

from dataclasses import asdict, dataclass
from typing import Protocol

from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.trial import Assignment
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload


class Baseline(Protocol):
    """Something that computes a workload, in a process of its own."""

    @property
    def name(self) -> str:
        """The name under which its times are stored."""
        ...

    @property
    def server(self) -> str:
        """Which fork server its workers come from."""
        ...

    @property
    def required(self) -> bool:
        """Whether nothing is timed without it; else a kernel is timed beside the others, with a flag."""
        ...

    def assignment(self, workload: Workload, limits: Limits) -> Assignment:
        """Say what its worker is to do."""
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
        fields = {
            "text": print_kernel(kernel),
            "profile": asdict(self.profile),
            "compiler": self.compiler,
        }
        return Assignment(
            role="kernel",
            fields=fields,
            param_forms=tuple((p.dtype, p.shape) for p in kernel.params),
            const=tuple(p.const for p in kernel.params),
            limits=limits,
            cache_bytes=self.profile.cache_bytes[-1] if self.profile.cache_bytes else 0,
        )


class DefaultBaseline:
    """The default lowering of the canonical text, through the same compiler as the kernel."""

    name = "default"
    server = "compiler"
    required = True

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kernels: dict[str, Kernel] = {}

    def assignment(self, workload: Workload, limits: Limits) -> Assignment:
        """Say what its worker is to do; the text is written once a workload."""
        if workload.id not in self._kernels:
            profile = self._bench.profile
            facts = verify_compute(workload.kernel())
            self._kernels[workload.id] = default_lowering(facts, profile.target, profile)
        return self._bench.assignment(self._kernels[workload.id], limits)
