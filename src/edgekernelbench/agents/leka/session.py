"""One attempt of LEKA: the state, the doors, and what every step needs of both."""

from dataclasses import dataclass, field, replace

from edgekernelbench.agents.leka.attribute import is_gain
from edgekernelbench.agents.leka.gate import Passed, try_out
from edgekernelbench.agents.leka.ground import hashes_of, make_parts
from edgekernelbench.agents.leka.measure import Measured, measure
from edgekernelbench.agents.leka.mind import Ground, Refusal
from edgekernelbench.agents.leka.noting import plan_record, report_record
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.leka.state import Author, Candidate, Part, Plan, State
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.notes import Note
from edgekernelbench.agents.protocol import Doors
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.base.errors import InternalError

SWAP = "swap"
"""What a gain is put down to when layers of several candidates were combined."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a kernel comes from.

    Attributes:
        phase: `start`, `revise` or `swap`.
        author: Who wrote what is new in it.
        parent: What it was made of; None for the start.
        plan: The plan of its step; None for the start and for swaps.
        known: Layers that keep their author.
        setting: Value of each knob.
    """

    phase: str
    author: Author
    parent: Candidate | None = None
    plan: Plan | None = None
    known: tuple[Part, ...] = ()
    setting: tuple[tuple[str, int | float], ...] = ()

    @property
    def layer(self) -> str | None:
        """What a gain would be put down to: a layer, or the combination of several."""
        if self.plan is not None:
            return str(self.plan.layer)
        return SWAP if self.phase == SWAP else None

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        if self.plan is not None:
            return f"{self.plan.layer}, {self.plan.move}"
        return "layers of several candidates" if self.phase == SWAP else "the start"


@dataclass(slots=True)
class Session:
    """The one thing of an attempt that changes.

    Attributes:
        ground: What does not change.
        doors: All that can be asked.
        settings: How to search.
        state: What is known.
        step: Number of the step.
        known: What became of each nest that was met: the candidate, or why it is none.
        reports: Static feedback by candidate.
        muted: Why the mind cannot be asked any more; empty while it can.
        idle: Steps in a row that measured nothing.
        submissions: Texts that were measured.
    """

    ground: Ground
    doors: Doors
    settings: Settings
    state: State = field(default_factory=State)
    step: int = 0
    known: dict[str, Candidate | Refusal] = field(default_factory=dict)
    reports: dict[int, StaticReport | None] = field(default_factory=dict)
    muted: str = ""
    idle: int = 0
    submissions: int = 0

    def ask(self, request: Request) -> Reply:
        """Ask the model."""
        if self.doors.chat is None:
            raise InternalError("an agent without a model asked one")
        return self.doors.chat(request)

    def shown_report(self, candidate: Candidate) -> StaticReport | None:
        """Give static feedback of a candidate; None where it is switched off, or there is none."""
        return self.reports.get(candidate.number) if self.settings.static else None

    def submit(self, passed: Passed, origin: Origin) -> Candidate | Refusal:
        """Take a legal kernel through values and the device, keep it, and write it down.

        Args:
            passed: The kernel.
            origin: Where it comes from.

        Returns:
            The new candidate; what was met before for a nest that was, which costs nothing; or what is
            wrong with it.

        Raises:
            BudgetExceeded: When nothing may be measured any more.
        """
        met = self.known.get(passed.digest)
        if met is not None:
            same = f"candidate {met.number}" if isinstance(met, Candidate) else "one that was refused"
            error = "" if isinstance(met, Candidate) else met.text
            self._note_text(passed, origin, "duplicate", f"the same nest as {same}; nothing was spent", error)
            return met
        result = try_out(passed.text, self.doors.check) or self._measure(passed.text)
        if isinstance(result, Refusal):
            self.known[passed.digest] = result
            self._note_text(passed, origin, result.stage, _head(result.text), result.text)
            return result
        number = len(self.state.candidates)
        candidate = Candidate(
            number=number,
            kernel=passed.kernel,
            text=passed.text,
            parts=make_parts(passed.kernel, self.ground.task.target, origin.author, number, origin.known),
            time=result.time,
            ratio=result.ratio,
            parent=None if origin.parent is None else origin.parent.number,
            layer=None if origin.plan is None else origin.plan.layer,
            plan=origin.plan,
            setting=origin.setting,
        )
        self.known[passed.digest] = candidate
        self.state = replace(self.state, candidates=(*self.state.candidates, candidate))
        inspect = self.doors.inspect
        self.reports[number] = None if inspect is None else inspect(candidate.kernel)
        self._note_candidate(candidate, origin)
        return candidate

    def _measure(self, text: str) -> Measured | Refusal:
        result = measure(text, self.doors.measure)
        self.submissions += 1
        self.idle = 0
        return result

    def note_unmade(self, origin: Origin, refusal: Refusal, text: str) -> None:
        """Write down a text that never became a kernel."""
        parent = origin.parent
        self.doors.note(
            Note(
                origin.phase,
                self.step,
                refusal.stage,
                f"{origin.title}: {_head(refusal.text)}",
                parent=None if parent is None else parent.number,
                layer=origin.layer,
                text=text,
                setting=dict(origin.setting),
                plan=plan_record(origin.plan),
                error=refusal.text,
                authors=(str(origin.author),),
            )
        )

    def note_words(self, phase: str, stage: str, message: str, error: str = "") -> None:
        """Write down a step without a text."""
        self.doors.note(
            Note(phase, self.step, stage, message, error=error, conclusions=self.state.conclusions)
        )

    def _note_candidate(self, candidate: Candidate, origin: Origin) -> None:
        parent = origin.parent
        gain = None if parent is None else candidate.ratio / parent.ratio
        against = "" if parent is None else f", {gain:.3f} times candidate {parent.number}"
        self.doors.note(
            Note(
                origin.phase,
                self.step,
                "accepted" if is_gain(gain) or parent is None else "measured",
                f"{origin.title}: {candidate.ratio:.3f} times the baseline{against}",
                candidate=candidate.number,
                parent=candidate.parent,
                parent_text="" if parent is None else parent.text,
                layer=origin.layer,
                hashes={str(part.layer): part.digest for part in candidate.parts},
                text=candidate.text,
                setting=dict(candidate.setting),
                plan=plan_record(origin.plan),
                report=report_record(self.reports.get(candidate.number)),
                time=candidate.time,
                ratio=candidate.ratio,
                gain=gain,
                attributed=origin.layer if is_gain(gain) else None,
                authors=tuple(map(str, candidate.authors)),
                conclusions=self.state.conclusions,
            )
        )

    def _note_text(self, passed: Passed, origin: Origin, stage: str, words: str, error: str) -> None:
        parent = origin.parent
        self.doors.note(
            Note(
                origin.phase,
                self.step,
                stage,
                f"{origin.title}: {words}",
                parent=None if parent is None else parent.number,
                parent_text="" if parent is None else parent.text,
                layer=origin.layer,
                hashes=hashes_of(passed.kernel, self.ground.task.target),
                text=passed.text,
                setting=dict(origin.setting),
                plan=plan_record(origin.plan),
                error=error,
                authors=(str(origin.author),),
            )
        )


def _head(text: str) -> str:
    return text.split("\n", 1)[0]
