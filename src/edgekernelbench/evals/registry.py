"""What Inspect finds through its entry point: tasks, the solver with doors, the scorer."""

from edgekernelbench.evals.cards import with_rules
from edgekernelbench.evals.scorer import judged
from edgekernelbench.evals.solver import with_doors
from edgekernelbench.evals.tasks import agent, full, quick, workloads

__all__ = ["agent", "full", "judged", "quick", "with_doors", "with_rules", "workloads"]
