"""Catalogues made by hand."""

from pathlib import Path

import pytest

PATTERN = '''def scale(x: T[N], w: const[f32[N]]):
    """scale: each element times a weight.

    Shapes: x, w and out have N elements.
    Source: made for these tests.
    """
    with compute:
        out[i]: T[N] = T(f32(x[i]) * w[i])
        return out
'''

FUNCTION = '''"""Elementwise product."""


def scale(x, w):
    """Each element times a weight."""
    return (x.float() * w).to(x.dtype)
'''

ROWS = """
[small]
scale = { N = 3 }

[[workload]]
id = "toy/scale@n9-f16"
sizes = { T = "f16", N = 9 }
accumulate = "f32"
domain = "signal"
level = "operator"
source = "made for these tests"
[workload.inputs]
x = { draw = "normal" }
w = { draw = "weights", fan = [0] }
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Write a catalogue of one pattern and one workload."""
    family = tmp_path / "toy"
    family.mkdir()
    (tmp_path / "VERSION").write_text("toy.1\n")
    (family / "scale.kir").write_text(PATTERN)
    (family / "scale.py").write_text(FUNCTION)
    (family / "workloads.toml").write_text(ROWS)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    """Replace a piece of a file that must be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
