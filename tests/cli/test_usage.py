"""What a nest costs."""

import pytest

from edgekernelbench.cli.usage import bytes_of, cost_as_json, cost_as_lines, workspace_by_scope
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer, Nest, Role
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

TEXT = """def f(x: f32[8, 64], w: const[f32[64, 16]]):
    with compute:
        y[i, j]: f32[8, 64] = 2.0 * x[i, j]
        s[i, j]: f32[8, 16] = sum(y[i, k] * w[k, j] for k in range(64))
        return s

    with schedule("llvm"):
        compute_at(y, s.j)

    with memory("llvm"):
        layout(w, "k j -> j k")
"""
LLVM = load_profile("llvm")


def nest() -> Nest:
    return build_nest(verify_compute(parse(TEXT)), "llvm", LLVM)


@pytest.mark.parametrize(
    ("dtype", "shape", "copies", "expected"),
    [
        (DType.F32, (3, 5), 1, 60),
        (DType.I4, (3,), 1, 2),
        (DType.BOOL, (9,), 1, 9),
        (DType.F16, (4,), 2, 16),
        (DType.F64, (1,), 1, 8),
    ],
)
def test_a_buffer_has_so_many_bytes(dtype: DType, shape: tuple[int, ...], copies: int, expected: int) -> None:
    assert bytes_of(Buffer("b", dtype, shape, Role.WORK, copies=copies)) == expected


def test_what_is_computed_again_and_what_is_held_is_said() -> None:
    lines = cost_as_lines(nest(), LLVM)
    assert any("16.00 times" in line for line in lines)
    assert "workspace: 256 B local" in lines
    assert "prepared ahead of time: 4,096 B" in lines


def test_the_json_says_the_same() -> None:
    row = cost_as_json(nest(), LLVM)
    assert row["workspace_bytes"] == workspace_by_scope(nest()) == {"local": 256}
    assert row["prepared_bytes"] == 4096
    stages = row["stages"]
    assert isinstance(stages, list)
    assert {s["stage"]: s["recompute"] for s in stages}["y"] == 16.0
