"""Writes the trajectory of an attempt: stands between an agent and its doors, and forgets nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from threading import Lock

from edgekernelbench.agents.ledger import Ledger
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.notes import Note
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.agents.recording import Entrant, diff_of, left_record, make_head, make_step
from edgekernelbench.base.errors import InternalError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.schema import storable
from edgekernelbench.records.trajectory import (
    BudgetRecord,
    ChatCall,
    End,
    EndBox,
    EndExtra,
    FinalMetrics,
    Head,
    MessageRecord,
    Said,
    Step,
    StepExtra,
    TextCall,
)

Clock = Callable[[], str]


def utc_now() -> str:
    """Give the time as records have it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Recorder:
    """The trajectory of one attempt in the making.

    Args:
        entrant: Who is at work.
        task: What the agent is told.
        ledger: The account of the attempt.
        clock: Gives the time.
        watch: Is told of each line as it is written.

    Attributes:
        head: The first line.
    """

    def __init__(
        self,
        entrant: Entrant,
        task: Task,
        ledger: Ledger,
        clock: Clock = utc_now,
        watch: Callable[[Step], None] | None = None,
    ) -> None:
        self._entrant, self._task, self._ledger, self._clock = entrant, task, ledger, clock
        self._watch = watch
        self.head = make_head(entrant, task, ledger.budget.whole())
        self._steps: list[Step] = []
        self._calls: list[ChatCall | TextCall] = []
        self._after: list[BudgetRecord] = []
        self._texts: dict[str, str] = {}
        self._best: float | None = None
        self._made: dict[int, tuple[int | None, str, float]] = {}
        self._candidates: dict[str, int] = {}
        self._authors: dict[str, tuple[str, ...]] = {}
        self._noted = False
        self._asks_elsewhere = False
        self._left = ledger.left()
        # Agents from elsewhere are in several threads at once.
        self._lock = Lock()

    @property
    def texts(self) -> dict[str, str]:
        """Every text so far by its hash."""
        return dict(self._texts)

    def doors(self, doors: Doors) -> Doors:
        """Give doors that do the same, and are written down."""
        chat = doors.chat

        def ask(request: Request) -> Reply:
            if chat is None:
                raise InternalError("an agent without a model asked one")
            reply = chat(request)
            with self._lock:
                self._left = self._ledger.left()
                self._keep(self._chat_call(request, reply))
            return reply

        def told(request: Request, reply: Reply) -> None:
            doors.told(request, reply)
            self._asks_elsewhere = True
            with self._lock:
                self._left = self._ledger.left()
                self._keep(self._chat_call(request, reply))

        def check(source: str) -> Feedback:
            return self._told("check", source, doors.check(source))

        def measure(source: str) -> Feedback:
            return self._told("measure", source, doors.measure(source))

        # What is left is what it was after the last call: so an agent's prompts can be made again.
        return replace(
            doors,
            check=check,
            measure=measure,
            chat=None if chat is None else ask,
            left=lambda: self._left,
            note=self.note,
            told=told,
        )

    def note(self, note: Note) -> None:
        """Write one line: what the agent says, with every call since the last line."""
        self._noted = True
        self._write(note)

    def unfinished(self) -> tuple[Step, ...]:
        """Give the lines of an attempt that was lost on the way, with every call so far."""
        if self._calls:
            self._write(Note("answer", len(self._steps), "done", "what was asked before it was lost"))
        return tuple(self._steps)

    def finish(self, answer: Answer) -> tuple[Head, tuple[Step, ...], End]:
        """Give the whole trajectory.

        Args:
            answer: What was handed in.
        """
        if not self._noted:
            self._note_submissions(answer)
        elif self._calls:
            self._write(Note("answer", len(self._steps), "done", "what was asked after the last step"))
        digest = hash_text(storable(answer.source)) if answer.source else None
        usage = self._ledger.usage
        end = EndExtra(
            reason=storable(answer.note) or "answered",
            answer=digest,
            authors=self._whose(answer.source),
            best=self._best,
            submissions=self._ledger.submissions,
            calls=self._ledger.calls,
            gains=self._gains(answer.source),
        )
        metrics = FinalMetrics(
            total_prompt_tokens=usage.input,
            total_completion_tokens=usage.output,
            total_cost_usd=self._ledger.money,
            total_steps=len(self._steps),
            extra=EndBox(ekb=end),
        )
        return self.head, tuple(self._steps), End(final_metrics=metrics)

    def _whose(self, source: str) -> tuple[str, ...]:
        if not source:
            return ()
        if source in self._authors:
            return self._authors[source]
        if self._task.start is not None and source.strip() == self._task.start.strip():
            return ("given",)
        return ("model" if self._entrant.model is not None else self._entrant.agent,)

    def _gains(self, source: str) -> dict[str, float]:
        """Multiply the gains on the way from the start to the answer, by the layer that each belongs to."""
        gains: dict[str, float] = {}
        number = self._candidates.get(source)
        while number is not None:
            parent, layer, ratio = self._made[number]
            if parent is not None and layer:
                gains[layer] = gains.get(layer, 1.0) * ratio / self._made[parent][2]
            number = parent
        return gains

    def _note_submissions(self, answer: Answer) -> None:
        """Write a line a text for an agent that notes nothing, and one for its answer."""
        groups, after = _by_text(self._calls), iter(self._after)
        last = groups.pop() if groups and groups[-1][-1].door == "chat" else []
        for number, group in enumerate(groups):
            self._calls = group
            # The lines are written when all is over, and each has the budget of its own moment.
            (*_, then) = islice(after, len(group))
            self._write(self._submitted(group[-1], number), then)
        self._calls = last
        self._write(
            Note(
                "answer",
                len(groups),
                "done" if answer.source else "no-text",
                "the answer" if answer.source else "no text was handed in",
                text=answer.source,
                error="" if answer.source else storable(answer.note),
                authors=self._whose(answer.source),
            )
        )

    def _submitted(self, call: ChatCall | TextCall, number: int) -> Note:
        if call.door == "chat":
            said = "its model was asked" if self._asks_elsewhere else "the answer has no kernel text"
            return Note("submit", number, "no-text", said)
        solved = call.door == "measure" and call.correct
        stage = "check" if not call.accepted else "values" if call.correct is False else "checked"
        source = self._texts[call.source.digest]
        return Note(
            "submit",
            number,
            "measured" if solved else stage,
            _came_of(call),
            candidate=number if solved else None,
            text=source,
            error="" if call.correct else call.reply,
            time=None if call.time_ns is None else Nanoseconds(call.time_ns),
            ratio=call.ratio,
            authors=self._whose(source),
        )

    def _keep(self, call: ChatCall | TextCall) -> None:
        """Keep a call for the next line, and what was spent when it had been made."""
        self._calls.append(call)
        self._after.append(self._budget())

    def _write(self, note: Note, budget: BudgetRecord | None = None) -> None:
        if note.ratio is not None and (self._best is None or note.ratio > self._best):
            self._best = note.ratio
        if note.candidate is not None and note.ratio is not None:
            self._made[note.candidate] = (note.parent, note.layer or "", note.ratio)
            self._candidates[note.text] = note.candidate
        if note.text and note.authors:
            self._authors[note.text] = note.authors
        calls, self._calls, self._after = tuple(self._calls), [], []
        ours = StepExtra(
            phase=note.phase,
            step=note.step,
            candidate=note.candidate,
            parent=note.parent,
            layer=note.layer,
            hashes=note.hashes,
            text=self._said(note.text) if note.text else None,
            diff=diff_of(note.parent_text, note.text),
            setting=note.setting,
            plan=note.plan,
            stage=note.stage,
            error=storable(note.error),
            report=note.report,
            time_ns=note.time,
            ratio=note.ratio,
            gain=note.gain,
            attributed=note.attributed,
            authors=note.authors,
            conclusions=tuple(map(storable, note.conclusions)),
            best=self._best,
            budget=budget or self._budget(),
            calls=calls,
        )
        step = make_step(len(self._steps) + 1, self._clock(), self._entrant.model, note.message, ours)
        self._steps.append(step)
        if self._watch is not None:
            self._watch(step)

    def _budget(self) -> BudgetRecord:
        ledger = self._ledger
        return BudgetRecord(
            submissions=ledger.submissions,
            tokens=ledger.usage.total,
            calls=ledger.calls,
            seconds=round(ledger.seconds, 3),
            money=ledger.money,
            left=left_record(self._left),
        )

    def _told(self, door: str, source: str, feedback: Feedback) -> Feedback:
        with self._lock:
            self._left = feedback.left
            call = TextCall(
                door="measure" if door == "measure" else "check",
                source=self._said(source),
                reply=storable(feedback.text),
                accepted=feedback.accepted,
                correct=feedback.correct,
                time_ns=feedback.time,
                ratio=feedback.ratio,
                codes=feedback.codes,
                left=left_record(feedback.left),
            )
            self._keep(call)
        return feedback

    def _chat_call(self, request: Request, reply: Reply) -> ChatCall:
        return ChatCall(
            messages=tuple(
                MessageRecord(role=str(m.role), content=self._said(m.content)) for m in request.messages
            ),
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            seed=request.seed,
            grammar=None if request.grammar is None else self._said(request.grammar),
            sample=request.sample,
            reply=storable(reply.text),
            stop=str(reply.stop),
            input_tokens=reply.usage.input,
            output_tokens=reply.usage.output,
            left=left_record(self._left),
        )

    def _said(self, text: str) -> Said:
        text = storable(text)
        digest = hash_text(text)
        first = digest not in self._texts
        self._texts[digest] = text
        return Said(digest=digest, text=text if first else None)


def _came_of(call: TextCall) -> str:
    """Say in one line what came of a text: how fast it is, else what was wrong first."""
    if call.correct and call.ratio is not None:
        return f"{call.ratio:.3f} times the baseline"
    said = [line for line in call.reply.split("\n") if line.strip()]
    if not call.accepted and len(said) > 1 and said[0].endswith(":"):
        return said[1]  # the first only says that it was refused
    return said[0] if said else "checked"


def _by_text(calls: list[ChatCall | TextCall]) -> list[list[ChatCall | TextCall]]:
    """Group calls: what was asked for a text, and what was said of it."""
    groups: list[list[ChatCall | TextCall]] = []
    for call in calls:
        last = groups[-1][-1] if groups else None
        same = (
            isinstance(last, TextCall)
            and isinstance(call, TextCall)
            and last.source.digest == call.source.digest
        )
        if last is not None and (same or (last.door == "chat" and call.door != "chat")):
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups
