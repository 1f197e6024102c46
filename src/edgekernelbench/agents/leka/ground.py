"""Ground: what is there before anybody is asked to improve it, as values."""

from edgekernelbench.agents.leka.state import LAYERS, Author, Candidate, Part
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.layers import layer_hash, print_layer

Parts = tuple[Part, Part, Part]


def make_parts(
    kernel: Kernel, target: str, author: Author, number: int, known: tuple[Part, ...] = ()
) -> Parts:
    """Take a kernel apart into layers; layers that were there already keep their author.

    Args:
        kernel: The kernel.
        target: Whose schedule and memory.
        author: Who wrote what is new.
        number: Number of the candidate.
        known: Layers of the candidates that it was made of.
    """
    seen = {(part.layer, part.digest): part for part in known}
    compute, schedule, memory = (
        seen.get((layer, layer_hash(kernel, layer, target)))
        or Part(layer, print_layer(kernel, layer, target), layer_hash(kernel, layer, target), author, number)
        for layer in LAYERS
    )
    return compute, schedule, memory


def hashes_of(kernel: Kernel, target: str) -> dict[str, str]:
    """Give the hash of each layer by its name."""
    return {str(layer): layer_hash(kernel, layer, target) for layer in LAYERS}


def beside_bound(candidate: Candidate, bound_ns: float | None) -> float | None:
    """Say how near a candidate is to the bound of the device: 1 is there; None when it is not known."""
    return None if bound_ns is None else bound_ns / max(1, candidate.time)
