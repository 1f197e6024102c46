"""What a model must compute: what its own framework gave when it was imported, or else the interpreter."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgekernelbench.base.errors import RecordError
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.imports.record import PROBE_FILE, ImportedModel

MOST_APART = 1e-3
"""Root mean square of a difference, beside that of the value, from which a model is another model: the same
as where it was imported."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Inputs of a model, and what must come out.

    Attributes:
        against: Who says so.
        inputs: One array an input.
        outputs: One array an output.
    """

    against: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]


def load_probe(model: ImportedModel, folder: Path) -> Probe:
    """Read the inputs and outputs of an imported model.

    Args:
        model: The model.
        folder: Its folder.

    Raises:
        RecordError: When it was imported without.
    """
    return read_probe(folder, model.framework or "TVM")


def read_probe(folder: Path, against: str) -> Probe:
    """Read inputs and outputs from a folder.

    Args:
        folder: The folder.
        against: Who gave the outputs.

    Raises:
        RecordError: When there are none.
    """
    path = folder / PROBE_FILE
    if not path.is_file():
        raise RecordError(f"no {PROBE_FILE} in {folder}: import the model again")
    with np.load(path) as stored:
        inputs, outputs = (
            tuple(stored[f"{kind}{n}"] for n in range(sum(f.startswith(kind) for f in stored.files)))
            for kind in ("in", "out")
        )
    return Probe(against, inputs, outputs)


def worst_distance(found: Sequence[Array], right: Sequence[Array]) -> float:
    """Give the distance of the worst output; infinite when one has another size."""
    # Only now: it imports TVM.
    from edgekernelbench.imports.walking import distance  # noqa: PLC0415

    return max(
        distance(a.reshape(b.shape), b) if a.size == b.size else float("inf")
        for a, b in zip(found, right, strict=True)
    )
