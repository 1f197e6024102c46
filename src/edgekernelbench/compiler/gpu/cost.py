"""What device code costs, read off its launch plan."""

from collections.abc import Mapping

from edgekernelbench.compiler.gpu.plan import Plan, global_workspace, walk_launches
from edgekernelbench.compiler.interface import Cost
from edgekernelbench.nest.footprint import peak
from edgekernelbench.nest.tree import Nest


def device_cost(
    nest: Nest,
    run: Plan,
    shared: Mapping[str, int],
    *,
    code_bytes: int | None = None,
    notes: tuple[str, ...] = (),
) -> Cost:
    """Write down what a run takes of a device.

    Args:
        nest: The nest.
        run: Its plan.
        shared: Shared memory of each launch.
        code_bytes: Size of the machine code, where it is known.
        notes: What else there is to say.

    Returns:
        Workspace by scope, and a sentence for each launch.
    """
    launches = list(walk_launches(run.steps))
    scopes = {
        "global": global_workspace(run),
        "shared": max((shared[one.name] for one in launches), default=0),
    }
    scopes["local"] = peak(nest.body, "local").total
    sentences = tuple(
        f"{one.name}: {_dims(one.blocks)} blocks of {_dims(one.threads)} threads, "
        f"{shared[one.name]:,} B of shared memory"
        for one in launches
    )
    return Cost(code_bytes, {scope: size for scope, size in scopes.items() if size}, (*sentences, *notes))


def _dims(dims: tuple[int, int, int]) -> str:
    return " x ".join(map(str, dims))
