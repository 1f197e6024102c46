"""Refusing a kernel that takes more workspace than its workload is given on a class of devices [L05]."""

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.nest.footprint import peak
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.workloads.budgets import workspace_budget
from edgekernelbench.workloads.schema import Workload

MOST_NAMED = 5

HINT = "compute what is large inside its reader, inline it, or fold it: compute_at, inline, fold"


def check_budget(nest: Nest, workload: Workload, profile: Profile) -> tuple[Diagnostic, ...]:
    """Compare what a kernel holds with its budget.

    Args:
        nest: The kernel, for the target of the device.
        workload: For which workload.
        profile: The device.

    Returns:
        One refusal, with the bytes and the buffers that hold them; nothing where it fits.
    """
    held = peak(nest.body, "global")
    prepared = sum(buffer_bytes(b) for b in nest.prepared)
    total = held.total + prepared
    budget = workspace_budget(workload, profile)
    if total <= budget:
        return ()
    biggest = sorted((*held.buffers, *nest.prepared), key=buffer_bytes, reverse=True)[:MOST_NAMED]
    names = ", ".join(f"{b.name} {buffer_bytes(b):,}" for b in biggest)
    message = (
        f"{total:,} B of workspace, {budget:,} B are given to {workload.id} on devices of class "
        f"{profile.device_class}: {names}"
    )
    return (Diagnostic("L05", message, layer=Layer.MEMORY, hint=HINT, target=nest.target),)
