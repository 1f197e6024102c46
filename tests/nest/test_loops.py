"""Loops of a stage: counts and values after splitting and fusing."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st
from tests.nest.test_indices import value

from edgekernelbench.lang.printing import print_expr
from edgekernelbench.nest.linear import variable
from edgekernelbench.nest.loops import FusedLoop, LoopTable, SplitLoop
from edgekernelbench.nest.tree import Kind


def table() -> LoopTable:
    made = LoopTable("s")
    made.begin("s.i", "i", Kind.DATA)
    made.begin("s.j", "j", Kind.DATA)
    return made


@st.composite
def changed(draw: st.DrawFn) -> LoopTable:
    made = table()
    for number in range(draw(st.integers(0, 4))):
        loops = made.sequence
        if draw(st.booleans()) or len(loops) < 2:
            sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=2)))
            outs = tuple(f"l{number}{letter}" for letter in "abc"[: len(sizes) + 1])
            made.split(SplitLoop(draw(st.sampled_from(loops)), outs, sizes))
        else:
            pair = draw(st.permutations(loops))[:2]
            made.fuse(FusedLoop(f"f{number}", tuple(pair)))
    return made


@given(changed(), st.integers(1, 6), st.integers(1, 6))
def test_loops_reach_each_position_once(made: LoopTable, rows: int, columns: int) -> None:
    extents = made.extents({"i": rows, "j": columns})
    total = prod(extents[loop] for loop in made.sequence)
    if total > 2000:
        return
    ranges = {loop: (0, extents[loop] - 1) for loop in made.sequence}
    values = made.values(variable, extents, ranges)
    tails = made.tails(values, extents, ranges)
    seen: list[tuple[int, int]] = []
    for number in range(total):
        env, rest = {}, number
        for loop in reversed(made.sequence):
            env[loop] = rest % extents[loop]
            rest //= extents[loop]
        if all(value(tail, env) for tail in tails):
            seen.append((value(values["s.i"], env), value(values["s.j"], env)))
    assert sorted(seen) == [(i, j) for i in range(rows) for j in range(columns)]


def test_the_outer_loop_takes_what_remains() -> None:
    made = table()
    made.split(SplitLoop("s.j", ("jo", "jm", "ji"), (4, 2)))
    extents = made.extents({"i": 3, "j": 20})
    assert (extents["jo"], extents["jm"], extents["ji"]) == (3, 4, 2)
    ranges = {loop: (0, extents[loop] - 1) for loop in made.sequence}
    values = made.values(variable, extents, ranges)
    assert print_expr(values["s.j"]) == "jo * 8 + jm * 2 + ji"
    assert [print_expr(t) for t in made.tails(values, extents, ranges)] == ["jo * 8 + jm * 2 + ji < 20"]


def test_a_fused_loop_has_the_first_one_slowest() -> None:
    made = table()
    made.fuse(FusedLoop("f", ("s.i", "s.j")))
    extents = made.extents({"i": 3, "j": 20})
    values = made.values(variable, extents, {"f": (0, 59)})
    assert (print_expr(values["s.i"]), print_expr(values["s.j"])) == ("f // 20", "f % 20")


def test_leaves_are_the_final_loops_of_a_loop() -> None:
    made = table()
    made.split(SplitLoop("s.j", ("jo", "ji"), (4,)))
    made.fuse(FusedLoop("f", ("s.i", "jo")))
    assert made.leaves("s.j") == {"f", "ji"}
    assert made.leaves("s.i") == {"f"}
