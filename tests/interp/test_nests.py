import numpy as np
import pytest

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Cast, Compare, Expr, Literal, Read, Select
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Guard,
    Let,
    Loop,
    Mark,
    Nest,
    Role,
    Stmt,
    Store,
    Update,
)

F32, I32 = DType.F32, DType.I32


def axis(name: str) -> Expr:
    return Axis(name, dtype=I32)


def whole(value: int) -> Expr:
    return Literal(value, dtype=I32)


def add(left: Expr, right: Expr) -> Expr:
    return Binary("+", left, right, dtype=left.dtype)


def read(buffer: Buffer, *indices: Expr) -> Expr:
    return Read(buffer.name, indices, dtype=buffer.dtype)


def nest(
    params: tuple[Buffer, ...],
    out: Buffer,
    *body: Stmt,
    tables: tuple[Buffer, ...] = (),
    prepare: tuple[Stmt, ...] = (),
    prepared: tuple[Buffer, ...] = (),
) -> Nest:
    return Nest("k", "llvm", params, (out,), prepared, tables, prepare, body)


X = Buffer("x", F32, (4,), Role.PARAM)
OUT = Buffer("out", F32, (4,), Role.OUTPUT)
DATA = np.array([1.5, -2.0, 3.0, 0.25], np.float32)


def test_a_loop_stores_every_element() -> None:
    stmt = Loop("i", 4, (Store("out", (axis("i"),), add(read(X, axis("i")), Literal(1, dtype=F32))),))
    (out,) = run_nest(nest((X,), OUT, stmt), [DATA])
    np.testing.assert_array_equal(out, DATA + 1)
    assert out.dtype == np.float32


def test_floats_are_rounded_to_the_declared_type_after_each_operation() -> None:
    half = Buffer("h", DType.F16, (1,), Role.PARAM)
    out = Buffer("out", DType.F16, (1,), Role.OUTPUT)
    value = Binary(
        "-",
        add(read(half, whole(0)), Literal(2048.0, dtype=DType.F16)),
        Literal(2048.0, dtype=DType.F16),
        dtype=DType.F16,
    )
    (result,) = run_nest(nest((half,), out, Store("out", (whole(0),), value)), [np.array([0.25], np.float16)])
    assert result[0] == 0.0


def test_a_reduction_accumulates_and_wraps_in_the_type_of_its_buffer() -> None:
    x = Buffer("x", I32, (3,), Role.PARAM)
    out = Buffer("out", I32, (1,), Role.OUTPUT)
    body = (
        Store("out", (whole(0),), whole(0)),
        Loop("k", 3, (Update("sum", "out", (whole(0),), read(x, axis("k"))),)),
    )
    (result,) = run_nest(nest((x,), out, *body), [np.array([2**31 - 1, 1, 5], np.int32)])
    assert result[0] == -(2**31) + 5


def arg_nest(kind: str, *, mark: Mark = Mark.SERIAL) -> Nest:
    out = Buffer("out", I32, (1,), Role.OUTPUT)
    best = Buffer("best", F32, (1,), Role.WORK)
    body = (
        Store("out", (whole(0),), whole(-1)),
        Loop("k", 4, (Update(kind, "out", (whole(0),), read(X, axis("k")), axis("k"), "best"),), mark=mark),
    )
    return nest((X,), out, Allocate((best,), body))


@pytest.mark.parametrize(("kind", "place"), [("argmax", 1), ("argmin", 0)])
def test_an_arg_reduction_takes_the_first_of_equals_in_either_direction(kind: str, place: int) -> None:
    data = np.array([1, 7, 7, 1], np.float32)
    for mark in (Mark.SERIAL, Mark.PARALLEL):
        (result,) = run_nest(arg_nest(kind, mark=mark), [data], backwards=True)
        assert result[0] == place


def test_a_select_evaluates_only_the_chosen_side() -> None:
    before = Binary("-", axis("i"), whole(1), dtype=I32)
    value = Select(
        Compare((">",), (axis("i"), whole(0)), dtype=DType.BOOL),
        read(X, before),
        Literal(0.0, dtype=F32),
        dtype=F32,
    )
    (out,) = run_nest(nest((X,), OUT, Loop("i", 4, (Store("out", (axis("i"),), value),))), [DATA])
    np.testing.assert_array_equal(out, [0, *DATA[:3]])


def test_an_index_outside_its_buffer_names_buffer_index_and_loops() -> None:
    stmt = Loop("i", 4, (Store("out", (axis("i"),), read(X, add(axis("i"), whole(1)))),))
    with pytest.raises(InternalError, match=r"inside x\[4\], found \[4\] at i=3"):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_a_negative_index_does_not_wrap() -> None:
    stmt = Store("out", (whole(0),), read(X, whole(-1)))
    with pytest.raises(InternalError, match=r"found \[-1\] at no loop"):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_what_was_never_written_cannot_be_read() -> None:
    box = Buffer("box", F32, (2, 2), Role.WORK)
    load = Store("out", (axis("i"),), read(box, whole(1), whole(0)))
    stmt = Allocate(
        (box,), (Store("box", (whole(0), whole(0)), Literal(0, dtype=F32)), Loop("i", 4, (load,)))
    )
    with pytest.raises(InternalError, match=r"box\[1, 0\] to be written before it is read, at i=0"):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_an_allocation_forgets_its_contents_each_time() -> None:
    box = Buffer("box", F32, (1,), Role.WORK)
    first = Guard(
        Compare(("==",), (axis("i"), whole(0)), dtype=DType.BOOL),
        (Store("box", (whole(0),), Literal(0, dtype=F32)),),
    )
    stmt = Loop("i", 4, (Allocate((box,), (first, Store("out", (axis("i"),), read(box, whole(0))))),))
    with pytest.raises(InternalError, match="at i=1"):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_an_output_must_be_written_whole() -> None:
    with pytest.raises(InternalError, match=r"3 that are not, the first at \[1\]"):
        run_nest(nest((X,), OUT, Store("out", (whole(0),), Literal(0, dtype=F32))), [DATA])


def test_an_update_needs_an_initial_value() -> None:
    stmt = Update("sum", "out", (whole(0),), Literal(0, dtype=F32))
    with pytest.raises(InternalError, match=r"out\[0\] to be written"):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_marked_loops_can_run_backwards_so_that_a_race_shows() -> None:
    box = Buffer("box", F32, (1,), Role.WORK)
    step = (
        Store("box", (whole(0),), add(read(box, whole(0)), read(X, axis("i")))),
        Store("out", (axis("i"),), read(box, whole(0))),
    )
    body = (Store("box", (whole(0),), Literal(0, dtype=F32)), Loop("i", 4, step, mark=Mark.PARALLEL))
    racing = nest((X,), OUT, Allocate((box,), body))
    forwards, backwards = run_nest(racing, [DATA]), run_nest(racing, [DATA], backwards=True)
    np.testing.assert_array_equal(forwards[0], np.cumsum(DATA))
    np.testing.assert_array_equal(backwards[0], np.cumsum(DATA[::-1])[::-1])


def test_prepare_fills_what_the_body_reads() -> None:
    w = Buffer("w", DType.I4, (4,), Role.PARAM)
    packed = Buffer("w.packed", DType.I4, (2, 2), Role.PREPARED)
    table = Buffer("tab", F32, (4,), Role.TABLE, values=(1, 2, 3, 4))
    two = whole(2)
    fill = Loop(
        "i",
        4,
        (
            Store(
                "w.packed",
                (Binary("%", axis("i"), two, dtype=I32), Binary("//", axis("i"), two, dtype=I32)),
                read(w, axis("i")),
            ),
        ),
    )
    first = Let(
        "q",
        Binary("//", axis("i"), two, dtype=I32),
        (
            Store(
                "out",
                (axis("i"),),
                Binary(
                    "*",
                    Cast(F32, read(packed, Binary("%", axis("i"), two, dtype=I32), axis("q")), dtype=F32),
                    read(table, axis("i")),
                    dtype=F32,
                ),
            ),
        ),
    )
    made = nest((w,), OUT, Loop("i", 4, (first,)), tables=(table,), prepare=(fill,), prepared=(packed,))
    (out,) = run_nest(made, [np.array([-8, 7, 1, 0], np.int8)])
    np.testing.assert_array_equal(out, [-8, 14, 3, 0])


@pytest.mark.parametrize(
    ("stmt", "message"),
    [
        (Store("x", (whole(0),), Literal(0, dtype=F32)), "no write to x, a param buffer"),
        (Store("gone", (whole(0),), Literal(0, dtype=F32)), "found 'gone'"),
        (Store("out", (whole(0),), whole(0)), "expected f32 in a store to out, found i32"),
        (Store("out", (whole(0),), Literal(0)), "without a type"),
        (Store("out", (axis("j"),), Literal(0, dtype=F32)), "found 'j'"),
        (Store("out", (), Literal(0, dtype=F32)), "expected 1 indices of out, found 0"),
        (Loop("i", 1, (Loop("i", 1, ()),)), "'i' once on a path"),
        (
            Store("out", (Read("x", (whole(0),), dtype=I32),), Literal(0, dtype=F32)),
            "expected f32 in a read of x",
        ),
        (Store("out", (whole(0),), Call("relu", (Literal(0, dtype=F32),), dtype=F32)), "found 'relu'"),
    ],
)
def test_a_malformed_nest_is_refused(stmt: Stmt, message: str) -> None:
    with pytest.raises(InternalError, match=message):
        run_nest(nest((X,), OUT, stmt), [DATA])


def test_parameters_must_have_the_declared_type_and_size() -> None:
    with pytest.raises(InternalError, match=r"x as float32\[4\], found float64\[4\]"):
        run_nest(nest((X,), OUT), [DATA.astype(np.float64)])
