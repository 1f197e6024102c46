"""The built-in policy as a mind of the controller: it plans and writes, and asks no model.

A plan is one move; from the names of the moves in a candidate's history its decisions are put together again,
so every method is a function of what it is given. What is kept between calls only saves time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from edgekernelbench.agents.leka.mind import (
    Analysis,
    Ask,
    Beginning,
    Ground,
    NoPlan,
    Refusal,
    Revision,
    View,
)
from edgekernelbench.agents.leka.state import Author, Candidate, Plan, State
from edgekernelbench.agents.policy.families import describe
from edgekernelbench.agents.policy.genome import Genome, genome_of, parse_move
from edgekernelbench.agents.policy.proposals import Proposal, propose
from edgekernelbench.agents.policy.writing import Desk, again
from edgekernelbench.analysis.rendering import render_report
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_block, print_compute, print_kernel
from edgekernelbench.profiles.profile import Profile

CONCLUSIONS = 6
"""Conclusions that are kept."""

KEPT = 16
"""Histories, and tasks, whose moves and texts are kept: a run has hundreds of tasks."""


@dataclass
class PolicyMind:
    """Plans moves of the lowering, and rewrites of the compute layer."""

    _desks: dict[tuple[str, str], Desk] = field(default_factory=dict)
    _proposed: dict[tuple[str, tuple[str, ...]], tuple[Proposal, ...]] = field(default_factory=dict)

    @property
    def author(self) -> Author:
        """Whose text it writes."""
        return Author.POLICY

    def begin(self, given: Beginning, ask: Ask) -> str:
        """Write nothing: the policy exists in the *optimise* track alone."""
        del given, ask
        return ""

    def analyse(self, ground: Ground, start: Candidate, report: StaticReport | None, ask: Ask) -> Analysis:
        """Say what kind of work it is, and the bottleneck that static feedback names."""
        del ask
        desk = self._desk(start.kernel, ground.profile)
        first = () if report is None else render_report(report)[:1]
        return Analysis("; ".join((describe(desk.facts), *first)))

    def plan(self, view: View, ask: Ask) -> Plan | NoPlan:
        """Choose the likeliest move that was not tried, of a layer that does not rest if there is one."""
        del ask
        known = {candidate.text for candidate in view.state.candidates}
        tried = tried_moves(view.state)
        found = [one for one in self._moves(view) if str(one.move) not in tried and one.text not in known]
        awake = [one for one in found if one.layer in view.allowed]
        chosen = next(iter(awake or found), None)
        if chosen is None:
            return NoPlan("every move was tried", spent=True)
        return _plan(chosen)

    def revise(self, view: View, plan: Plan, ask: Ask) -> Revision:
        """Write the layer of a move, and what the rules of the lowering make of the others then."""
        del ask
        desk, genome = self._base(view)
        kernel = desk.write(genome.after(parse_move(plan.move)))
        if kernel is None:
            return Revision("", Author.POLICY, f"the move {plan.move} fits no text")
        target = view.ground.profile.target
        others = tuple(
            (layer, text)
            for layer in (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY)
            if layer is not plan.layer
            and (text := layer_text(kernel, layer, target)) != layer_text(view.parent.kernel, layer, target)
        )
        return Revision(layer_text(kernel, plan.layer, target), Author.POLICY, others=others)

    def repair(self, view: View, plan: Plan, revision: Revision, refusal: Refusal, ask: Ask) -> Revision:
        """Mend nothing: there are other moves."""
        del view, plan, revision, ask
        return Revision("", Author.POLICY, f"the policy drops a move that is refused ({refusal.stage})")

    def reflect(self, view: View, ask: Ask) -> tuple[str, ...]:
        """Say which kinds of moves paid, and which did not."""
        del ask
        return tuple(_conclusions(view.state))[:CONCLUSIONS]

    def _moves(self, view: View) -> tuple[Proposal, ...]:
        """List the moves from the parent, the likeliest first; worked out once for a history."""
        base, names = history(view.state, view.parent)
        desk = self._desk(base.kernel, view.ground.profile)
        key = (base.text, names)
        if key not in self._proposed:
            if len(self._proposed) >= KEPT:  # texts of tasks that are over
                self._proposed.clear()
            self._proposed[key] = propose(desk, genome_of(names))
        return self._proposed[key]

    def _base(self, view: View) -> tuple[Desk, Genome]:
        """Find what the moves of the parent's history start from, and put them together."""
        base, names = history(view.state, view.parent)
        return self._desk(base.kernel, view.ground.profile), genome_of(names)

    def _desk(self, kernel: Kernel, profile: Profile) -> Desk:
        bare = replace(kernel, schedules=(), memories=())
        key = (print_kernel(bare), profile.name)
        if key not in self._desks:
            if len(self._desks) >= KEPT:
                self._desks.clear()
            self._desks[key] = Desk(again(bare), profile)
        return self._desks[key]


def history(state: State, candidate: Candidate) -> tuple[Candidate, tuple[str, ...]]:
    """Follow a candidate back to the last text that was not the policy's own.

    Args:
        state: The archive.
        candidate: Where to start.

    Returns:
        That text, and the names of the moves since, the oldest first.
    """
    numbered = {one.number: one for one in state.candidates}
    names: list[str] = []
    one = candidate
    while one.plan is not None and one.plan.author is Author.POLICY and one.parent in numbered:
        names.append(one.plan.move)
        one = numbered[one.parent]
    return one, tuple(reversed(names))


def tried_moves(state: State) -> frozenset[str]:
    """Name the moves that are not worth another try: those since the compute layer last got better."""
    names: set[str] = set()
    for trial in state.tried:
        if trial.plan.author is not Author.POLICY:
            continue
        if trial.accepted and trial.plan.layer is Layer.COMPUTE:
            names.clear()
        names.add(trial.plan.move)
    return frozenset(names)


def layer_text(kernel: Kernel, layer: Layer, target: str) -> str:
    """Print one layer as `lang.layers.replace_layer` reads it."""
    match layer:
        case Layer.COMPUTE:
            return "\n".join(print_compute(kernel.compute))
        case Layer.SCHEDULE:
            return "\n".join(print_block(kernel.schedule_for(target)))
        case _:
            return "\n".join(print_block(kernel.memory_for(target)))


def _plan(chosen: Proposal) -> Plan:
    return Plan(
        layer=chosen.layer,
        bottleneck=chosen.bottleneck,
        move=str(chosen.move),
        change=chosen.reason,
        expected=round(chosen.expected, 3),
        author=Author.POLICY,
    )


def _conclusions(state: State) -> Iterator[str]:
    kinds: dict[str, list[float]] = {}
    for trial in state.tried:
        if trial.gain is not None and trial.plan.author is Author.POLICY:
            kinds.setdefault(parse_move(trial.plan.move).kind, []).append(trial.gain)
    for kind, gains in sorted(kinds.items(), key=lambda one: -max(one[1])):
        yield f"{kind}: {len(gains)} tried, the best {max(gains):.2f} times as fast"
