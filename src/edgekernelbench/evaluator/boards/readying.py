"""What needs no board is done before one is taken: answers are computed, kernels and baselines compiled.

A board is dear and this machine is not: while it runs one text, the next ones are made ready here.
"""

from collections.abc import Mapping
from dataclasses import asdict
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from edgekernelbench.base.errors import SourceError
from edgekernelbench.evaluator.acceptance import accept
from edgekernelbench.evaluator.baselines import Baseline, Bench
from edgekernelbench.evaluator.boards.parcels import Built, Parcels
from edgekernelbench.evaluator.environment import WORKER_COMMAND, worker_environment
from edgekernelbench.evaluator.exam import Exams
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.places import COMPILER, Servers
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor
from edgekernelbench.profiles.profile import Profile


class Readier:
    """Makes texts ready for the boards of one kind; may be called from several threads."""

    def __init__(
        self,
        profile: Profile,
        exams: Exams,
        parcels: Parcels,
        baselines: tuple[Baseline, ...],
        limits: Limits,
    ) -> None:
        """Start nothing yet.

        Args:
            profile: What the boards are.
            exams: Examinations, shared with the judges of the boards.
            parcels: What was compiled, likewise.
            baselines: What kernels are timed beside.
            limits: What compiling may use.
        """
        self._profile, self._exams, self._parcels = profile, exams, parcels
        self._bench = Bench(profile, "tvm")
        self._baselines, self._limits = baselines, limits
        self._environment = worker_environment(profile.threads)
        self._free: SimpleQueue[Servers] = SimpleQueue()
        self._all: list[Servers] = []

    def ready(self, submission: Submission) -> None:
        """Make a text ready; what fails here is found again, and told, when it is judged."""
        try:
            kernel = accept(submission.workload, submission.text, self._profile)
        except SourceError:
            return  # refused texts never come to a board
        self._exams.exam(submission.workload, submission.inputs, timed=submission.timing is not None)
        wanted = [self._bench.assignment(kernel, self._limits).fields]
        if submission.timing is not None:
            wanted += [dict(fields) for fields in self._baseline_fields(submission)]
        servers = self._borrow()
        try:
            for fields in wanted:
                self._build(fields, servers.get(COMPILER))
        except ServerLost:
            return
        finally:
            self._free.put(servers)

    def _baseline_fields(self, submission: Submission) -> list[Mapping[str, object]]:
        found: list[Mapping[str, object]] = []
        for baseline in self._baselines:
            text = baseline.text(submission.workload)
            if text is not None:
                found.append({"text": text, "profile": asdict(self._profile)})
        return found

    def _build(self, fields: Mapping[str, object], here: Supervisor) -> None:
        built = self._parcels.get({**fields, "run_s": self._limits.run_s}, here, self._limits)
        if not isinstance(built, Built):
            built.close()

    def _borrow(self) -> Servers:
        if self._free.empty():
            made = Servers(WORKER_COMMAND, self._environment, {COMPILER: "tvm"})
            self._all.append(made)
            return made
        return self._free.get()

    def close(self) -> None:
        """End the fork servers."""
        for servers in self._all:
            servers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
