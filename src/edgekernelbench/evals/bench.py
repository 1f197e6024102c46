"""The judge of one evaluation: Inspect asks from many coroutines, and the device serves one at a time."""

import atexit
import secrets
from dataclasses import dataclass
from functools import cache
from threading import Lock

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.generation import Doorkeeper
from edgekernelbench.bench.release import release_name
from edgekernelbench.bench.verdicts import NO_TEXT, TIMING_PLANS
from edgekernelbench.evaluator.devices import find_device, open_judges
from edgekernelbench.evaluator.exam import InputChoice, choose_inputs
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Rejected
from edgekernelbench.workloads.catalogue import Catalogue, find_catalogue
from edgekernelbench.workloads.schema import Workload


@dataclass(frozen=True, slots=True)
class Place:
    """Where an evaluation judges, as the parameters of its task say.

    Attributes:
        device: A profile, or `rpc:KEY` for boards.
        compiler: Name of the compiler.
        timing: `none`, `one-child` or `final`.
        catalogue: The word for a catalogue; None for ours.
    """

    device: str = "llvm"
    compiler: str = "tvm"
    timing: str = "one-child"
    catalogue: str | None = None

    def __post_init__(self) -> None:
        if self.timing not in TIMING_PLANS:
            raise CatalogueError(f"no timing {self.timing!r}; there are {', '.join(TIMING_PLANS)}")

    def profile(self) -> Profile:
        """Give the profile of the device."""
        return find_device(self.device).profile

    def workloads(self) -> Catalogue:
        """Give the catalogue."""
        return find_catalogue(self.catalogue)


class Bench:
    """The judge of one evaluation, opened when it is first needed and closed when the process ends.

    Args:
        place: Where it judges.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._catalogue = place.workloads()
        # Hidden inputs of `measure` and those of the final verdict differ, and are nobody else's.
        self._secrets = secrets.token_bytes(16), secrets.token_bytes(16)
        self._lock = Lock()
        self._pool: JudgePool | None = None

    def workload(self, name: str) -> Workload:
        """Find a workload."""
        return self._catalogue.workload(name)

    def doors(self) -> Doorkeeper:
        """Give the doors of an agent to the judge."""
        return Doorkeeper(self._opened(), self._secrets[0], self._lock)

    def verdict(self, name: str, text: str, attempt: str) -> Judgement:
        """Give the final verdict on a text; it is judged on inputs that no agent was measured on.

        Args:
            name: Id of the workload.
            text: The kernel; empty when the answer has none, which is an attempt all the same.
            attempt: What records call it.
        """
        workload, judges = self.workload(name), self._opened()
        if not text:
            return Judgement(
                attempt=attempt,
                workload=name,
                device=judges.profile.name,
                device_class=str(judges.profile.device_class),
                compiler=judges.compiler,
                threads=judges.profile.threads,
                text=None,
                outcome=Rejected((NO_TEXT,)),
            )
        inputs: tuple[InputChoice, ...] = choose_inputs(self._secrets[1], workload)
        timing = TIMING_PLANS[self.place.timing]
        with self._lock:
            return judges.judge(Submission(workload, text, inputs, timing, attempt=attempt))

    def _opened(self) -> JudgePool:
        with self._lock:
            if self._pool is None:
                place = self.place
                self._pool = open_judges(
                    place.device,
                    place.compiler,
                    lambda profile: reference_baselines("R0", None, profile, place.compiler),
                    release=release_name(),
                )
                atexit.register(self._pool.close)
            return self._pool


@cache
def bench_of(place: Place) -> Bench:
    """Give the judge of a place: scorer and doors of one evaluation, and all its tasks, share it."""
    return Bench(place)
