"""Any step again, from its record alone: the doors answer what they answered, the mind must ask the same."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from edgekernelbench.agents.models.protocol import Reply, Request, Stop, Usage
from edgekernelbench.agents.notes import Note
from edgekernelbench.agents.protocol import Agent, Answer, Doors, Feedback, Left
from edgekernelbench.agents.recording import left_from_record, task_from_json
from edgekernelbench.analysis.report import Bottleneck, Finding, StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import BudgetExceeded, RecordError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.records.schema import storable
from edgekernelbench.records.trajectories import Trajectory
from edgekernelbench.records.trajectory import ChatCall, ReportRecord, TextCall


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to.

    Attributes:
        answer: The text that was handed in again.
        notes: What the agent said of each step, in order: one for each line of the record.
    """

    answer: Answer
    notes: tuple[Note, ...]


def replay(trajectory: Trajectory, agent: Agent) -> Replayed:
    """Let an agent do an attempt again, with the recorded answers.

    Args:
        trajectory: The record.
        agent: The same agent, made of the settings in the head of the record.

    Returns:
        What it did.

    Raises:
        RecordError: When it asks something else than the record holds, with the line: then the agent, or
            what it depends on, has changed since.
    """
    doors = _Doors(trajectory)
    task = task_from_json(dict(trajectory.head.extra.ekb.task))
    answer = agent.solve(task, doors.open())
    return Replayed(answer, tuple(doors.notes))


@dataclass(slots=True)
class _Doors:
    """Doors that answer from a record.

    Attributes:
        trajectory: The record.
        notes: What the agent noted so far.
    """

    trajectory: Trajectory
    notes: list[Note] = field(default_factory=list)
    _calls: Iterator[tuple[int, ChatCall | TextCall]] = field(init=False)
    _left: Left = field(init=False)
    _reports: dict[str, StaticReport] = field(init=False)

    def __post_init__(self) -> None:
        steps = self.trajectory.steps
        self._calls = ((step.step_id, call) for step in steps for call in step.extra.ekb.calls)
        self._left = left_from_record(self.trajectory.head.extra.ekb.budget)
        self._reports = {
            ours.text.digest: _report(ours.report)
            for ours in (step.extra.ekb for step in steps)
            if ours.report is not None and ours.text is not None
        }

    def open(self) -> Doors:
        """Give the doors."""
        return Doors(
            check=lambda source: self._told("check", source),
            measure=lambda source: self._told("measure", source),
            left=lambda: self._left,
            chat=self._chat,
            inspect=self._inspect if self._reports else None,
            note=self.notes.append,
        )

    def _next(self, door: str) -> tuple[int, ChatCall | TextCall]:
        found = next(self._calls, None)
        if found is None:
            # The record ends where a limit was reached: the call that was refused is not in it.
            raise BudgetExceeded(_spent(self._left), 0, 0)
        step, call = found
        if call.door != door:
            raise RecordError(self._differs(step, f"a call of {call.door}", f"one of {door}"))
        return step, call

    def _chat(self, request: Request) -> Reply:
        if _spent(self._left) in ("tokens", "calls", "money"):
            raise BudgetExceeded(_spent(self._left), 0, 0)
        step, call = self._next("chat")
        if not isinstance(call, ChatCall):
            raise RecordError(self._differs(step, "a call of the model", "another"))
        asked = [hash_text(storable(m.content)) for m in request.messages]
        stored = [message.content.digest for message in call.messages]
        if asked != stored:
            raise RecordError(self._differs(step, "this prompt", "another prompt"))
        self._left = left_from_record(call.left)
        usage = Usage(input=call.input_tokens, output=call.output_tokens)
        return Reply(call.reply, usage, Stop(call.stop))

    def _told(self, door: str, source: str) -> Feedback:
        step, call = self._next(door)
        if not isinstance(call, TextCall):
            raise RecordError(self._differs(step, "a text", "a prompt"))
        if hash_text(storable(source)) != call.source.digest:
            raise RecordError(self._differs(step, f"text {call.source.digest}", "another text"))
        self._left = left_from_record(call.left)
        return Feedback(
            text=call.reply,
            accepted=call.accepted,
            correct=call.correct,
            time=None if call.time_ns is None else Nanoseconds(call.time_ns),
            ratio=call.ratio,
            codes=call.codes,
            left=self._left,
        )

    def _inspect(self, kernel: Kernel) -> StaticReport:
        digest = hash_text(print_kernel(kernel))
        if digest not in self._reports:
            raise RecordError(
                f"{self.trajectory.head.session_id}: no static feedback of text {digest} stored"
            )
        return self._reports[digest]

    def _differs(self, step: int, expected: str, found: str) -> str:
        name = self.trajectory.head.session_id
        return f"{name}, step {step}: expected {expected}, found {found}: the agent has changed since"


def _spent(left: Left) -> str:
    """Name the limit that was reached."""
    limits = {
        "tokens": left.tokens,
        "calls": left.calls,
        "money": left.money,
        "seconds": left.seconds,
        "submissions": left.submissions,
    }
    return next((name for name, rest in limits.items() if rest is not None and rest <= 0), "seconds")


def _report(record: ReportRecord) -> StaticReport:
    return StaticReport(
        flops=record.flops,
        bytes_moved=record.bytes_moved,
        bound_ns=record.bound_ns,
        bound_class=Bottleneck(record.bound_class),
        findings=tuple(
            Finding(Layer(f.layer), Bottleneck(f.bottleneck), f.message, f.directive, f.share)
            for f in record.findings
        ),
    )
