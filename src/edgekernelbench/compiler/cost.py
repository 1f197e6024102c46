"""What a nest costs, read off its loops without running it."""

from edgekernelbench.compiler.arena import Arena
from edgekernelbench.compiler.arrays import stored_bytes
from edgekernelbench.compiler.interface import Cost
from edgekernelbench.nest.tree import Nest


def stored_cost(
    nest: Nest, arena: Arena, threads: int, *, code_bytes: int | None, notes: tuple[str, ...] = ()
) -> Cost:
    """Say what an artifact for a CPU stores.

    Args:
        nest: What was compiled.
        arena: The plan of its workspace.
        threads: How many threads have an area of their own.
        code_bytes: Size of the machine code.
        notes: What else there is to say.

    Returns:
        The cost; `local` is what one thread has on its stack, `prepared` what is made ahead of time.
    """
    scopes = {"global": arena.total(threads), "local": arena.stack_bytes}
    prepared = sum(stored_bytes(b) for b in nest.prepared)
    return Cost(code_bytes, scopes | ({"prepared": prepared} if prepared else {}), notes)
