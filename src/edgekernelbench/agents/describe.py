"""From a canonical kernel to what a card says of it."""

import re
from collections.abc import Mapping

from edgekernelbench.agents.card import CardFacts
from edgekernelbench.agents.protocol import Track
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel, print_param


def describe(
    kernel: Kernel,
    *,
    workload: str,
    pytorch: str,
    sizes: Mapping[str, int | float | str],
    accumulate: str,
    track: Track,
) -> CardFacts:
    """Gather what a card says of a workload.

    Args:
        kernel: The canonical kernel, bound.
        workload: The id.
        pytorch: Source of the PyTorch function.
        sizes: Values of the pattern's capitals.
        accumulate: The narrowest type that sums may be held in.
        track: In the write track nothing of the compute layer but the outputs' types gets through.

    Returns:
        The facts.
    """
    shapes = {p.stage.name: (p.stage.dtype, p.stage.shape) for p in placed_stages(kernel.compute)}
    outputs = (shapes[name] for name in kernel.compute.outputs)
    return CardFacts(
        workload=workload,
        title=_about(kernel.doc, kernel.name),
        name=kernel.name,
        parameters=", ".join(print_param(p) for p in kernel.params),
        outputs=tuple(
            f"{dtype}[{', '.join(map(str, shape))}]" if shape else str(dtype) for dtype, shape in outputs
        ),
        arithmetic=f"nothing narrower than the element types shown; sums in {accumulate} or wider",
        pytorch=pytorch,
        sizes={name: value for name, value in sizes.items() if re.search(rf"\b{name}\b", pytorch)},
        canonical=print_kernel(kernel) if track is Track.OPTIMISE else None,
    )


def _about(doc: str, name: str) -> str:
    """Take what a pattern's docstring says of the computation, without its name and its source."""
    kept = [line.strip() for line in doc.split("\n") if not line.startswith("Source:")]
    text = "\n".join(line for line in kept if line)
    return text.removeprefix(f"{name}:").strip() or name
