"""What a nest costs."""

from edgekernelbench.cli.usage import cost_as_json, cost_as_lines, headline
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
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


def test_what_is_computed_again_and_what_is_held_is_said() -> None:
    lines = cost_as_lines(nest(), LLVM)
    assert any("16.00 times" in line for line in lines)
    assert any(line.startswith("workspace: ") for line in lines)
    assert "bytes: 6,144 read, 512 written; 3.69 operations a byte" in lines
    assert "prepared ahead of time: 4,096 B" in lines


def test_the_json_says_the_same() -> None:
    row = cost_as_json(nest(), LLVM)
    assert row["prepared_bytes"] == 4096
    assert row["input_bytes"] == 8 * 64 * 4 + 4096
    stages = row["stages"]
    assert isinstance(stages, list)
    assert {s["stage"]: s["recompute"] for s in stages}["y"] == 16.0


def test_the_headline_says_where_it_was_accepted() -> None:
    assert headline(nest(), LLVM) == "f: accepted for llvm (This machine's CPU)"
