"""Two minds in turn: the built-in policy and a language model, one step each (`leka+policy`)."""

from dataclasses import dataclass, replace

from edgekernelbench.agents.leka.mind import (
    Analysis,
    Ask,
    Beginning,
    Ground,
    Mind,
    NoPlan,
    Refusal,
    Revision,
    View,
)
from edgekernelbench.agents.leka.state import Author, Candidate, Plan
from edgekernelbench.analysis.report import StaticReport


@dataclass(frozen=True, slots=True)
class Both:
    """Lets the policy plan odd steps and the model even ones; who has no plan passes the step on.

    Attributes:
        policy: Plans without a model.
        model: Asks one.
        author: Who is named for the first text: the model writes it.
    """

    policy: Mind
    model: Mind
    author: Author = Author.MODEL

    def begin(self, given: Beginning, ask: Ask) -> str:
        """Let the model write the first text."""
        return self.model.begin(given, ask)

    def analyse(self, ground: Ground, start: Candidate, report: StaticReport | None, ask: Ask) -> Analysis:
        """Let both say what bounds the workload."""
        said = [mind.analyse(ground, start, report, ask).text for mind in (self.policy, self.model)]
        return Analysis("\n".join(text for text in said if text))

    def plan(self, view: View, ask: Ask) -> Plan | NoPlan:
        """Let one plan; the other when the first has none."""
        first, second = (self.policy, self.model) if view.step % 2 else (self.model, self.policy)
        found = first.plan(view, ask)
        if not isinstance(found, NoPlan):
            return found
        other = second.plan(view, ask)
        if isinstance(other, NoPlan):
            return replace(other, spent=other.spent and found.spent)
        return other

    def revise(self, view: View, plan: Plan, ask: Ask) -> Revision:
        """Let the one who planned write."""
        return self._planner(plan).revise(view, plan, ask)

    def repair(self, view: View, plan: Plan, revision: Revision, refusal: Refusal, ask: Ask) -> Revision:
        """Let the one who planned mend."""
        return self._planner(plan).repair(view, plan, revision, refusal, ask)

    def reflect(self, view: View, ask: Ask) -> tuple[str, ...]:
        """Let the model draw conclusions; it is the one that reads them."""
        return self.model.reflect(view, ask)

    def _planner(self, plan: Plan) -> Mind:
        return self.policy if plan.author is Author.POLICY else self.model
