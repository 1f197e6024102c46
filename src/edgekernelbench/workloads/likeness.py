"""How like two patterns are, whatever they call things: for finding what should not be there twice."""

import re
from collections import Counter
from itertools import combinations

from edgekernelbench.base.hashing import hash_text
from edgekernelbench.ir.compute import placed_stages, tables
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.renaming import rename
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.workloads.catalogue import Catalogue

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
TYPE = re.compile(rf"\b(?:sat_)?(?:{'|'.join(DType)})\b")


def structural_text(kernel: Kernel, *, keep_numbers: bool = False) -> str:
    """Print a compute layer with names that say nothing, and without sizes, numbers and element types.

    Args:
        kernel: The compute layer.
        keep_numbers: Whether sizes, numbers and element types stay, so that only names are gone.

    Returns:
        The same text for two kernels that differ in what was left out alone.
    """
    order = [kernel.name, *(p.name for p in kernel.params), *(t.name for t in tables(kernel.compute))]
    for placed in placed_stages(kernel.compute):
        value = placed.stage.value
        inner = [over.axis for over in value.over] if isinstance(value, Reduction) else []
        order += [*placed.ordered, placed.stage.name, *placed.stage.axes, *inner]
    names = {name: f"v{number}_" for number, name in enumerate(dict.fromkeys(order))}
    text = print_kernel(rename(kernel, names))
    text = re.sub(r'\n *""".*?"""\n', "\n", text, flags=re.DOTALL)
    return text if keep_numbers else NUMBER.sub("#", TYPE.sub("T", text))


def structural_hash(kernel: Kernel, *, keep_numbers: bool = False) -> str:
    """Hash what `structural_text` gives."""
    return hash_text(structural_text(kernel, keep_numbers=keep_numbers))


def likeness(a: str, b: str) -> float:
    """Compare two structural texts.

    Args:
        a: One text.
        b: The other.

    Returns:
        The share of lines of both that both have, names of values left out; 1 for the same text.
    """
    one, other = _lines(a), _lines(b)
    return (one & other).total() / max(1, (one | other).total())


def _lines(text: str) -> Counter[str]:
    """Count the definitions of a text; which value is read matters less than how."""
    bare = re.sub(r"v\d+_", "v", text)
    return Counter(line.strip() for line in bare.split("\n") if ":" in line and "with compute" not in line)


def near_duplicates(catalogue: Catalogue, least: float) -> dict[tuple[str, str], float]:
    """Find pairs of patterns that are written alike.

    Args:
        catalogue: Where to look; each pattern is taken at its small sizes.
        least: From which likeness on, at most 1.

    Returns:
        Likeness by pair of ids.
    """
    texts: dict[str, str] = {}
    for workload in catalogue.workloads:
        if workload.pattern.id not in texts:
            texts[workload.pattern.id] = structural_text(workload.twin().kernel())
    pairs = ((a, b, likeness(texts[a], texts[b])) for a, b in combinations(sorted(texts), 2))
    return {(a, b): found for a, b, found in pairs if found >= least}
