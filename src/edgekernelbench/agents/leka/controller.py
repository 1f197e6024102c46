"""The controller: decides what is asked, measured and kept. Deterministic: the same answers, the same steps.

```text
ground ─ analyse ─▶ plan ─ revise ─ gate ─┬─ measure ─ attribute ─┬─▶ plan …
                     ▲              ▲     │                       │
                     │              └─ repair (twice)             ├─ reflect (now and then)
                     └────────────────────────────────────────────┴─ swap (on stagnation)
```
It ends when the budget is spent or the bound is reached, never because a mind says so.
"""

from dataclasses import dataclass, field, replace

from edgekernelbench.agents.leka.attribute import allowed_layers, attribute, is_gain
from edgekernelbench.agents.leka.gate import Passed, Placing, legal, read_whole
from edgekernelbench.agents.leka.ground import beside_bound
from edgekernelbench.agents.leka.knobs import KnobSearch, one_at_a_time
from edgekernelbench.agents.leka.mind import Analysis, Beginning, Ground, Mind, NoPlan, Refusal, View
from edgekernelbench.agents.leka.search import choose_parent
from edgekernelbench.agents.leka.session import Origin, Session
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.leka.settle import settle
from edgekernelbench.agents.leka.state import Author, Candidate, Plan, Trial
from edgekernelbench.agents.leka.swap import combinations
from edgekernelbench.agents.protocol import Answer, Doors, Task, Track
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import BudgetExceeded
from edgekernelbench.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class Leka:
    """The agent.

    Attributes:
        mind: Who plans and writes.
        profile: The device.
        name: The name of its row.
        settings: How it searches.
        search: How knobs are resolved.
        seed: Base of everything that is drawn; the attempt's number is added.
    """

    mind: Mind
    profile: Profile
    name: str = "leka"
    settings: Settings = field(default_factory=Settings)
    search: KnobSearch = one_at_a_time
    seed: int = 0

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Answer one task."""
        ground = Ground(task, self.profile, doors.left().submissions, self.seed + task.sample)
        return _Attempt(self, Session(ground, doors, self.settings)).run()


@dataclass(slots=True)
class _Attempt:
    """One task in the hands of the controller."""

    leka: Leka
    session: Session
    analysis: Analysis = field(default_factory=lambda: Analysis(""))

    def run(self) -> Answer:
        unmeasured = ""
        try:
            unmeasured = self._start()
            if self.session.state.candidates:
                self._analyse()
                reason = self._end()
                while not reason:
                    self._step()
                    reason = self._end()
            else:
                reason = "nothing may be measured" if unmeasured else "no text passed the gate"
        except BudgetExceeded as spent:
            reason = str(spent)
        candidates = self.session.state.candidates
        return Answer(self.session.state.best.text if candidates else unmeasured, reason)

    def _start(self) -> str:
        """Ground: the text that everybody is given, or the mind's own first one, measured.

        Returns:
            The text when nothing may be measured; empty otherwise.
        """
        session, task = self.session, self.session.ground.task
        author = Author.GIVEN if task.start is not None else self.leka.mind.author
        origin = Origin("start", author)
        number, text, problem = 0, "", ""
        while not session.state.candidates:
            text = task.start if task.start is not None else self._begin(number, text, problem)
            passed = (
                read_whole(text, session.ground.profile) if text else Refusal("no-text", "no kernel text")
            )
            if isinstance(passed, Passed):
                if session.doors.left().submissions == 0:
                    return passed.text
                result = session.submit(passed, origin)
                problem = result.text if isinstance(result, Refusal) else ""
            else:
                session.note_unmade(origin, passed, text)
                problem = passed.text
            number += 1
            if problem and (task.start is not None or number > self.leka.settings.fruitless):
                break
        return ""

    def _begin(self, number: int, last: str, problem: str) -> str:
        """Ask for the first text: mended as often as any revision, then a fresh one."""
        session = self.session
        fresh = number % (self.leka.settings.repairs + 1) == 0
        given = Beginning(
            session.ground, number, "" if fresh else last, "" if fresh else problem, session.doors.left()
        )
        return self.leka.mind.begin(given, session.ask)

    def _analyse(self) -> None:
        session = self.session
        start = session.state.best
        session.ground = replace(session.ground, left=session.doors.left())
        self.analysis = self.leka.mind.analyse(
            session.ground, start, session.shown_report(start), session.ask
        )
        session.note_words("analyse", "done", self.analysis.text)

    def _end(self) -> str:
        """Say why it ends; empty while it goes on."""
        session, settings = self.session, self.leka.settings
        best = session.state.best
        report = session.reports.get(best.number)
        near = beside_bound(best, None if report is None else report.bound_ns)
        if near is not None and near >= settings.near:
            return f"the bound of the device is reached to {100 * near:.0f} %"
        if session.doors.left().submissions == 0:
            return "the submissions are spent"
        if session.idle >= settings.fruitless:
            return f"{session.idle} steps in a row measured nothing"
        if session.muted and not (settings.layered and self._next_swap()):
            return session.muted
        return ""

    def _step(self) -> None:
        session, settings = self.session, self.leka.settings
        session.step += 1
        session.idle += 1
        stagnant = session.state.stagnant >= settings.swap_after
        if settings.layered and (session.muted or stagnant) and self._swap():
            return
        if not session.muted:
            self._plan()

    def _swap(self) -> bool:
        """Measure the most promising combination of layers that fits; False when there is none."""
        session = self.session
        found = self._next_swap()
        if found is None:
            return False
        session.submit(*found)
        session.state = replace(session.state, stagnant=0)  # plans have their turn again
        return True

    def _next_swap(self) -> tuple[Passed, Origin] | None:
        session = self.session
        for combination in combinations(session.state):
            passed = legal(combination.kernel, None, session.ground.profile)
            if isinstance(passed, Passed) and passed.digest not in session.known:
                origin = Origin("swap", Author.GIVEN, combination.parent, known=combination.parts)
                return passed, origin
        return None

    def _plan(self) -> None:
        session, mind = self.session, self.leka.mind
        view = self._view()
        try:
            plan = mind.plan(view, session.ask)
            if isinstance(plan, NoPlan):
                session.note_words("plan", "no-plan", f"nothing was planned: {plan.reason}", plan.reason)
                session.muted = plan.reason if plan.spent else ""
                session.state = replace(session.state, stagnant=session.state.stagnant + 1)
                return
            before = session.state.best
            trial = self._carry_out(view, plan)
            improved = is_gain(session.state.best.ratio / before.ratio)
            session.state = attribute(session.state, trial, self.leka.settings, improved=improved)
            every = self.leka.settings.reflect_every
            if every and len(session.state.tried) % every == 0:
                now = replace(view, state=session.state, left=session.doors.left())
                conclusions = mind.reflect(now, session.ask)
                session.state = replace(session.state, conclusions=conclusions)
                session.note_words("reflect", "done", "; ".join(conclusions))
        except BudgetExceeded as spent:
            if spent.limit in ("submissions", "seconds"):
                raise
            session.muted = str(spent)
            session.note_words("plan", "no-plan", "the model cannot be asked any more", session.muted)

    def _view(self) -> View:
        session = self.session
        parent = choose_parent(session.state, session.ground, session.step, self.leka.settings)
        return View(
            ground=session.ground,
            analysis=self.analysis,
            state=session.state,
            parent=parent,
            report=session.shown_report(parent),
            allowed=allowed_layers(session.state, session.step, self.leka.settings),
            left=session.doors.left(),
            step=session.step,
        )

    def _carry_out(self, view: View, plan: Plan) -> Trial:
        """Revise, gate, repair, measure: from a plan to what came of it."""
        session, mind, settings = self.session, self.leka.mind, self.leka.settings
        view = replace(view, left=session.doors.left())
        revision = mind.revise(view, plan, session.ask)
        origin = Origin("revise", revision.author, view.parent, plan, view.parent.parts)
        problem, first_new = "", len(session.state.candidates)
        for attempt in range(settings.repairs + 1):
            placing = Placing(
                view.parent.kernel,
                plan.layer if settings.freezing else Layer.TEXT,
                view.ground.profile,
                giving_up=revision.giving_up,
                defaults=view.ground.task.track is Track.OPTIMISE,
                others=revision.others,
            )
            outcome = settle(session, origin, placing, revision, self.leka.search)
            if isinstance(outcome, Candidate):
                gain = outcome.ratio / view.parent.ratio
                if outcome.number < first_new:  # it brings nothing new, however fast it is
                    known = f"the same nest as a kernel of {outcome.ratio:.2f} times the baseline"
                    return Trial(session.step, plan, gain, accepted=False, problem=known)
                return Trial(session.step, plan, gain, is_gain(gain))
            problem = outcome.text
            if attempt < settings.repairs:
                view = replace(view, left=session.doors.left())
                revision = mind.repair(view, plan, revision, outcome, session.ask)
        return Trial(session.step, plan, None, accepted=False, problem=problem.split("\n", 1)[0])
