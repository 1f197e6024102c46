"""Names, shapes, tables, outputs and fors of trees that no parser made."""

from dataclasses import replace

import pytest
from tests.verify.support import diagnose

from edgekernelbench.ir.compute import Compute, Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Expr, Literal, Over, Power, Read, Reduction
from edgekernelbench.ir.kernel import Kernel

F, I = DType.F32, DType.I32  # noqa: E741
X = Param("x", F, (4,))
READ = Read("x", (Axis("i"),))
OUT = Stage("out", ("i",), F, (4,), READ)


def stage(value: Expr | Reduction, name: str = "out", dtype: DType = F) -> Stage:
    """Make a stage of four elements."""
    return Stage(name, ("i",), dtype, (4,), value)


def kernel(*items: Item, params: tuple[Param, ...] = (X,), outputs: tuple[str, ...] = ("out",)) -> Kernel:
    """Make a kernel."""
    return Kernel("k", params, Compute(items, outputs))


def reduced(kind: str, start: int, stop: int, axis: str = "r") -> Reduction:
    """Make a reduction."""
    return Reduction(kind, Literal(1), (Over(axis, start, stop),))


FAULTY = {
    "nothing returned": ("C01", kernel(OUT, outputs=())),
    "no such output": ("C02", kernel(OUT, outputs=("out", "uot"))),
    "a parameter returned": ("C02", kernel(OUT, outputs=("out", "x"))),
    "a table returned": ("C02", kernel(OUT, Table("t", F, (1,), (1,)), outputs=("out", "t"))),
    "returned twice": ("C02", kernel(OUT, outputs=("out", "out"))),
    "no element": ("C03", kernel(replace(OUT, shape=(0,)))),
    "an axis beyond i32": ("C03", kernel(OUT, params=(X, Param("y", F, (2**31,))))),
    "a stage named like a parameter": ("C05", kernel(OUT, stage(READ, "x"))),
    "an axis named like a table": ("C05", kernel(Table("i", F, (1,), (1,)), OUT)),
    "a reduction axis twice": ("C05", kernel(stage(reduced("sum", 0, 4, "i")))),
    "a word as a name": ("C05", kernel(stage(READ, "max"), outputs=("max",))),
    "a word as a parameter": ("C05", kernel(OUT, params=(X, Param("sum", F, ())))),
    "a table without axes": ("C06", kernel(OUT, Table("t", F, (), (1,)))),
    "a table that is too long": ("C06", kernel(OUT, Table("t", F, (1,), (1, 2)))),
    "a table of other numbers": ("C06", kernel(OUT, Table("t", I, (1,), (0.5,)))),
    "an axis without a size": ("C07", kernel(replace(OUT, shape=()))),
    "an unknown tensor": ("C08", kernel(stage(Read("y", (Axis("i"),))))),
    "an unknown axis": ("C08", kernel(stage(Read("x", (Axis("j"),))))),
    "an axis of a later for": (
        "C08",
        kernel(
            stage(
                Reduction(
                    "sum", READ, (Over("r", 0, 2, (Binary("<", Axis("s"), Literal(1)),)), Over("s", 0, 2))
                )
            )
        ),
    ),
    "an empty range": ("C11", kernel(stage(reduced("sum", 2, 2)))),
    "a place that does not start at 0": ("C11", kernel(stage(reduced("argmax", 1, 4), dtype=I))),
    "a range of floats": ("C11", kernel(OUT, params=(replace(X, bounds=(0, 4)),))),
    "a range that the type cannot hold": (
        "C11",
        kernel(OUT, params=(X, Param("y", DType.I8, (), bounds=(0, 200)))),
    ),
    "a missing index": ("C12", kernel(stage(Read("x", ())))),
    "no such function": ("C15", kernel(stage(Call("relu", (READ,))))),
    "too few operands": ("C15", kernel(stage(Call("max", (READ,))))),
    "a high power": ("C15", kernel(stage(Power(READ, 99)))),
    "no use": ("C16", kernel(stage(READ, "a"), OUT)),
    "no use but for each other": (
        "C16",
        kernel(
            Ordered("i", 4, (stage(Read("b", (Axis("i"),)), "a"), stage(Read("a", (Axis("i"),)), "b"))), OUT
        ),
    ),
    "a for in a for of the same name": ("O01", kernel(Ordered("i", 4, (Ordered("i", 4, (OUT,)),)))),
    "a for that the stage does not have": ("O02", kernel(Ordered("j", 4, (OUT,)))),
    "a for of another size": ("O03", kernel(Ordered("i", 5, (OUT,)))),
}


@pytest.mark.parametrize(("code", "wrong"), FAULTY.values(), ids=FAULTY.keys())
def test_a_wrong_form_is_refused(code: str, wrong: Kernel) -> None:
    assert {found.code for found in diagnose(wrong)} - {"O06"} == {code}


def test_a_near_name_is_suggested() -> None:
    (found,) = diagnose(kernel(OUT, outputs=("out", "outt")))
    assert found.hint == "return out"


def test_an_unknown_name_does_not_make_what_it_meant_dead() -> None:
    found = diagnose(kernel(stage(READ, "mean"), stage(Read("meen", (Axis("i"),)))))
    assert [(d.code, d.hint) for d in found] == [("C08", "did you mean mean?")]


def test_of_a_dead_chain_only_the_end_is_named() -> None:
    a, b = stage(READ, "a"), stage(Read("a", (Axis("i"),)), "b")
    assert [d.message for d in diagnose(kernel(a, b, OUT))] == ["no output needs b"]
