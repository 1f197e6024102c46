"""The files of a first pattern in a catalogue of one's own."""

from pathlib import Path

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.catalogue import ROWS_FILE, VERSION_FILE

TEXT = '''\
def {name}(x: T[R, N], w: const[T[N]]):
    """{name}: each row of x times w, then cut off below 0.

    Replace this by what your pattern computes; keep the name in front of the colon.

    Shapes: x is R rows of N; w has N elements; out is as x.
    Source: where the definition comes from, a paper or the operator of a library.
    """
    with compute:
        out[i, j]: T[R, N] = max(x[i, j] * w[j], 0)
        return out
'''
TORCH = '''\
"""Scaled rows without what is below 0."""

import torch


def {name}(x, w):
    """Multiply each row by w, then cut off below 0."""
    return torch.relu(x * w)
'''
ROWS = """\
[small]
{name} = {{ R = 3, N = 7 }}

[bounds]
{name} = {{ R = [3, 400], N = [7, 768] }}

[[workload]]
id = "{family}/{name}@r197-n384-f32"
sizes = {{ T = "f32", R = 197, N = 384 }}
accumulate = "f32"
domain = "vision"
level = "operator"
source = "where the sizes come from: a named layer of a model, a table of a paper, a device"
[workload.inputs]
x = {{ draw = "normal", std = 1.0 }}
w = {{ draw = "normal", std = 1.0 }}
"""


def write_pattern(root: Path, pattern: str) -> tuple[Path, ...]:
    """Write a pattern that works, to be changed into another.

    Args:
        root: The catalogue, new or with other families in it.
        pattern: `family/name`.

    Returns:
        The files that were written.

    Raises:
        CatalogueError: When the name is none, or the family exists: rows are added there by hand.
    """
    family, _, name = pattern.partition("/")
    if not all(part.isidentifier() and part == part.lower() for part in (family, name)):
        raise CatalogueError(f"expected FAMILY/NAME in lower case, found {pattern!r}")
    folder = root / family
    if folder.exists():
        raise CatalogueError(
            f"{folder} exists: put {name}.kir and {name}.py into it, and a row into {ROWS_FILE}"
        )
    folder.mkdir(parents=True)
    texts = {f"{name}.kir": TEXT, f"{name}.py": TORCH, ROWS_FILE: ROWS}
    for file, text in texts.items():
        (folder / file).write_text(text.format(name=name, family=family), encoding="utf-8")
    version = root / VERSION_FILE
    if not version.exists():
        version.write_text("1\n", encoding="utf-8")
    return (*(folder / file for file in texts), version)
