"""What Inspect finds through its entry point: tasks, the solver with doors, the scorer."""

from edgekernelbench.evals.scorer import geometric_mean, judged
from edgekernelbench.evals.solver import with_doors
from edgekernelbench.evals.tasks import agent, full, quick, workloads

__all__ = ["agent", "full", "geometric_mean", "judged", "quick", "with_doors", "workloads"]
