"""Workloads that nobody has seen: other sizes, constants and names within what a pattern allows.

A held-out workload has the id of the row that it was drawn from, with the seed in it:
`norm/softmax@r591-n197-f32` becomes `norm/softmax@r591-n197-held7-f32`. The same seed gives the same workload
on every machine; its inputs are hidden as those of every workload are.
"""

import re
from dataclasses import replace

from edgekernelbench.base.errors import CatalogueError, SourceError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.words import RESERVED
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.bounds import redraw_sizes
from edgekernelbench.workloads.draws import Draw, Requant, RequantShift
from edgekernelbench.workloads.schema import Size, Workload
from edgekernelbench.workloads.stream import Stream
from edgekernelbench.workloads.wording import draw_names, words_of

HELD = re.compile(r"^(?P<stem>.+)-held(?P<seed>\d{1,9})-(?P<dtype>\w+)$")
"""Ids of held-out workloads."""

TRIES = 16
"""Draws that are tried before the bounds of a pattern are called wrong."""


def original_of(workload_id: str) -> tuple[str, int] | None:
    """Take the seed out of an id.

    Args:
        workload_id: Any id.

    Returns:
        The id of the row and the seed; None when the id is none of a held-out workload.
    """
    found = HELD.match(workload_id)
    return None if found is None else (f"{found['stem']}-{found['dtype']}", int(found["seed"]))


def hold_out(workload: Workload, seed: int) -> Workload:
    """Redraw sizes, constants and names of a workload within the bounds of its pattern.

    Element types, accumulation and how inputs are drawn stay; so do numbers that the text itself has, which
    belong to the definition.

    Args:
        workload: A row of the catalogue.
        seed: From 0 to 999,999,999.

    Returns:
        A workload whose text was verified.

    Raises:
        CatalogueError: When the seed is out of range, or the bounds allow what is no legal text.
    """
    if not 0 <= seed < 10**9:
        raise CatalogueError(f"expected a seed from 0 to 999,999,999, found {seed}")
    stem, _, dtype = workload.id.rpartition("-")
    place = f"{stem}-held{seed}-{dtype}"
    stream = Stream("held out", seed, workload.id)
    problem = ""
    for _ in range(TRIES):
        sizes = redraw_sizes(workload.sizes, workload.pattern.bounds, stream, place)
        try:
            kernel = workload.pattern.kernel(sizes)
            verified = verify_compute(kernel)
        except SourceError as error:
            problem = str(error)
            continue
        if not verified.diagnostics:
            return _renamed(workload, seed, place, sizes, kernel)
        problem = "; ".join(f"{d.code}: {d.message}" for d in verified.diagnostics)
    raise CatalogueError(f"{place}: none of {TRIES} draws within the bounds is a legal text: {problem}")


def _renamed(workload: Workload, seed: int, place: str, sizes: dict[str, Size], kernel: Kernel) -> Workload:
    stream = Stream("names", seed, workload.pattern.id)
    taken = RESERVED | words_of(workload.pattern.torch_text)
    names = draw_names(kernel, taken, stream)
    return replace(
        workload,
        id=place,
        sizes=sizes,
        source=f"redrawn by seed {seed}; the row: {workload.source}",
        inputs={names[name]: _renamed_draw(draw, names) for name, draw in workload.inputs.items()},
        small={**workload.sizes, **workload.small},
        names=names,
    )


def _renamed_draw(draw: Draw, names: dict[str, str]) -> Draw:
    if isinstance(draw, Requant | RequantShift):
        return draw.model_copy(update={"of": names[draw.of]})
    return draw
