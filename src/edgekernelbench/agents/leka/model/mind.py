"""The mind that asks a language model: every phase is one of the functions beside it."""

from dataclasses import dataclass, field

from edgekernelbench.agents.leka.mind import Analysis, Ask, Beginning, Ground, NoPlan, Refusal, Revision, View
from edgekernelbench.agents.leka.model.analyse import analyse
from edgekernelbench.agents.leka.model.begin import begin
from edgekernelbench.agents.leka.model.plan import plan
from edgekernelbench.agents.leka.model.reflect import reflect
from edgekernelbench.agents.leka.model.repair import repair
from edgekernelbench.agents.leka.model.revise import revise
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.state import Author, Candidate, Plan
from edgekernelbench.analysis.report import StaticReport


@dataclass(frozen=True, slots=True)
class ModelMind:
    """Plans and writes by asking a model.

    Attributes:
        style: How the model is asked.
        author: Whose text it writes.
    """

    style: Style = field(default_factory=Style)
    author: Author = Author.MODEL

    def begin(self, given: Beginning, ask: Ask) -> str:
        """Write the first whole text."""
        return begin(given, self.style, ask)

    def analyse(self, ground: Ground, start: Candidate, report: StaticReport | None, ask: Ask) -> Analysis:
        """Say what bounds this workload."""
        return analyse(ground, start, report, self.style, ask)

    def plan(self, view: View, ask: Ask) -> Plan | NoPlan:
        """Choose one layer and one bottleneck."""
        return plan(view, self.style, ask)

    def revise(self, view: View, plan: Plan, ask: Ask) -> Revision:
        """Write the layer of a plan anew."""
        return revise(view, plan, self.style, ask)

    def repair(self, view: View, plan: Plan, revision: Revision, refusal: Refusal, ask: Ask) -> Revision:
        """Mend a revision that the gate refused."""
        return repair(view, plan, revision, refusal, self.style, ask)

    def reflect(self, view: View, ask: Ask) -> tuple[str, ...]:
        """Draw conclusions."""
        return reflect(view, self.style, ask)
