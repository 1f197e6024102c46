"""Random kernels as trees, canonical as a reader gives them, for Hypothesis."""

from typing import TypeVar

from hypothesis import strategies as st

from edgekernelbench.ir.compute import Compute, Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    REDUCTIONS,
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Over,
    Power,
    Read,
    Reduction,
    Select,
    Unary,
)
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import (
    SCOPES,
    Accumulate,
    Cache,
    Fold,
    Layout,
    LayoutSpec,
    Memory,
    MemoryDirective,
    Piece,
    Place,
    Reuse,
)
from edgekernelbench.ir.schedule import (
    TARGETS,
    THREAD_TAGS,
    Bind,
    ComputeAt,
    Fuse,
    Hoist,
    Inline,
    Order,
    Parallel,
    Precompute,
    Rfactor,
    Scatter,
    Schedule,
    ScheduleDirective,
    Split,
    Tensorize,
    Unroll,
    Vectorize,
)
from edgekernelbench.lang.words import FUNCTIONS

T = TypeVar("T")

CONV2D: dict[str, str | int | float] = {
    "T": "f16", "N": 1, "C": 4, "K": 6, "F": 3, "S": 1, "P": 1, "H": 8, "W": 9,
}  # fmt: skip
"""Sizes for the pattern among the texts of the specification."""

TENSORS = {"x": 2, "w_1": 1, "s": 0, "idx": 1}
AXES = ("i", "j", "k")
_FOLDED = ("+", "-", "*", "/", "//", "%")

sizes = st.integers(1, 2**31 - 1)
ints = st.integers(-(2**40), 2**40)
floats = st.floats(allow_nan=False)
leaves: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Literal, value=st.one_of(ints, floats, st.booleans())),
    st.builds(Axis, name=st.sampled_from(AXES)),
    st.just(Read(tensor="s", indices=())),
)


def is_number(node: Expr) -> bool:
    return isinstance(node, Literal) and not isinstance(node.value, bool)


def is_canonical(node: Expr) -> bool:
    """A reader folds operations on numbers."""
    match node:
        case Binary(op=op, left=left, right=right) if op in _FOLDED:
            return not (is_number(left) and is_number(right))
        case Unary(op="-", operand=operand) | Power(base=operand):
            return not is_number(operand)
        case _:
            return True


def exactly(parts: st.SearchStrategy[T], count: int) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(parts, min_size=count, max_size=count).map(tuple)


def grown(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    comparers = st.sampled_from(("<", "<=", ">", ">=", "==", "!="))
    reads = [
        st.builds(
            Read, tensor=st.just(name), indices=st.lists(parts, min_size=rank, max_size=rank).map(tuple)
        )
        for name, rank in TENSORS.items()
        if rank
    ]
    calls = [
        st.builds(
            Call,
            function=st.just(name),
            args=st.lists(parts, min_size=least, max_size=least if most else 3).map(tuple),
        )
        for name, (least, most) in FUNCTIONS.items()
    ]
    nodes = st.one_of(
        *reads,
        st.one_of(calls),
        st.builds(Unary, op=st.sampled_from(("-", "~", "not")), operand=parts),
        st.builds(Binary, op=st.sampled_from((*_FOLDED, "<<", ">>", "&", "|", "^")), left=parts, right=parts),
        st.builds(Power, base=parts, exponent=st.integers(2, 8)),
        st.builds(
            lambda ops, operands: Compare(ops=tuple(ops[: len(operands) - 1]), operands=operands),
            st.lists(comparers, min_size=2, max_size=2),
            several,
        ),
        st.builds(Logic, op=st.sampled_from(("and", "or")), operands=several),
        st.builds(Select, condition=parts, then=parts, other=parts),
        st.builds(Cast, to=st.sampled_from(DType), operand=parts),
        st.builds(
            Cast,
            to=st.sampled_from([dtype for dtype in DType if dtype.is_int]),
            operand=parts,
            saturate=st.just(value=True),
        ),
    )
    return nodes.filter(is_canonical)


exprs = st.recursive(leaves, grown, max_leaves=8)


@st.composite
def reductions(draw: st.DrawFn) -> Reduction:
    kind = draw(st.sampled_from(REDUCTIONS))
    axes = draw(st.lists(st.sampled_from(("u", "v", "k2")), min_size=1, max_size=2, unique=True))
    over = []
    for axis in axes:
        start = 0 if kind.startswith("arg") else draw(st.integers(-3, 3))
        conditions = tuple(draw(st.lists(exprs, max_size=2)))
        over.append(Over(axis, start, start + draw(st.integers(1, 9)), conditions))
    return Reduction(kind=kind, element=draw(exprs), over=tuple(over))


@st.composite
def computes(draw: st.DrawFn) -> Compute:
    items: list[Item] = [
        Stage("s", (), DType.F32, (), draw(leaves.filter(lambda e: not isinstance(e, Axis | Read))))
    ]
    for number in range(draw(st.integers(1, 3))):
        axes, shape = AXES, draw(exactly(sizes, 3))
        value = draw(st.one_of(exprs, reductions()))
        stage = Stage(f"t{number}", axes, draw(st.sampled_from(DType)), shape, value)
        items.append(Ordered("i", shape[0], (stage,)) if draw(st.booleans()) else stage)
    if draw(st.booleans()):
        values = draw(st.lists(st.one_of(ints, floats), min_size=6, max_size=6))
        items.append(Table("tab", DType.F32, draw(st.sampled_from(((6,), (2, 3), (1, 6, 1)))), tuple(values)))
    return Compute(tuple(items), ("t0",) if draw(st.booleans()) else ("t0", "s"))


names = st.sampled_from(("ko", "ki", "a_1", "zz"))
loops = st.one_of(names, st.sampled_from(("t0.i", "t0.u", "s.k")))
dotted = st.sampled_from(("t0.i", "t1.k2"))
many = st.lists(loops, min_size=1, max_size=3).map(tuple)
stages = st.sampled_from(("t0", "s", "x"))
scopes = st.sampled_from(SCOPES)
small = st.integers(1, 64)


@st.composite
def layouts(draw: st.DrawFn) -> LayoutSpec:
    axes = draw(st.lists(st.sampled_from(("a", "b", "c1")), min_size=1, max_size=3, unique=True))
    pieces: list[Piece] = []
    for axis in axes:
        inner, middle = draw(st.integers(1, 16)), draw(st.integers(1, 8))
        whole = [Piece(axis)]
        halves = [Piece(axis, inner), Piece(axis, 1, inner)]
        thirds = [Piece(axis, inner * middle), Piece(axis, inner, middle), Piece(axis, 1, inner)]
        options = [whole] if inner == 1 or middle == 1 else [whole, halves, thirds]
        pieces += draw(st.sampled_from(options))
    return LayoutSpec(tuple(axes), tuple(draw(st.permutations(pieces))))


@st.composite
def splits(draw: st.DrawFn) -> Split:
    numbers = tuple(draw(st.lists(sizes, min_size=1, max_size=2)))
    outs = draw(st.permutations(("ko", "ki", "kk")))[: len(numbers) + 1]
    return Split(outs=tuple(outs), loop=draw(loops), sizes=numbers)


schedule_directives: st.SearchStrategy[ScheduleDirective] = st.one_of(
    splits(),
    st.builds(Fuse, out=names, loops=st.lists(loops, min_size=2, max_size=3).map(tuple)),
    st.builds(Order, loops=many),
    st.builds(Inline, stages=st.lists(stages, min_size=1, max_size=2).map(tuple)),
    st.builds(Precompute, stages=st.lists(stages, min_size=1, max_size=2).map(tuple)),
    st.builds(ComputeAt, stage=stages, loop=loops),
    st.builds(Rfactor, out=names, loop=loops),
    st.builds(Scatter, loop=dotted),
    st.builds(Hoist, out=names, loop=dotted, block=small),
    st.builds(Parallel, loops=many),
    st.builds(Vectorize, loops=many),
    st.builds(Unroll, loops=many),
    st.builds(Bind, loops=many, tag=st.sampled_from(THREAD_TAGS)),
    st.builds(Tensorize, name=st.sampled_from(("dot4", "wmma.16x16x16")), loops=many),
)
memory_directives: st.SearchStrategy[MemoryDirective] = st.one_of(
    st.builds(Layout, tensor=stages, spec=layouts()),
    st.builds(
        Place,
        tensor=stages,
        scope=scopes,
        align=st.sampled_from((None, 16, 64, 4096)),
        pad=st.integers(0, 8),
        buffers=st.integers(1, 2),
    ),
    st.builds(
        Cache,
        tensor=stages,
        scope=scopes,
        at=loops,
        vector=small,
        buffers=st.integers(1, 2),
        pad=st.integers(0, 8),
        layout=st.none() | layouts(),
    ),
    st.builds(Accumulate, stage=stages, scope=scopes),
    st.builds(Fold, loop=dotted, steps=small),
    st.builds(Reuse, tensor=stages, old=stages),
)


DOCS = (
    "",
    "One line.",
    'With "quotes" and \\ at its "end"',
    "Two\nlines",
    "  indented\nthen not",
    "a\n\n  b",
)


@st.composite
def kernels(draw: st.DrawFn) -> Kernel:
    bounds = draw(st.none() | st.tuples(st.integers(-9, 0), st.integers(1, 9)))
    params = (
        Param("x", draw(st.sampled_from(DType)), draw(exactly(sizes, 2)), draw(st.booleans())),
        Param("w_1", DType.F16, (draw(sizes),), draw(st.booleans())),
        Param("idx", DType.I32, (4,), bounds=bounds),
    )
    schedules = [
        Schedule((target,), tuple(draw(st.lists(schedule_directives, max_size=4))))
        for target in draw(st.lists(st.sampled_from(TARGETS), unique=True))
    ]
    memories = [
        Memory((target,), tuple(draw(st.lists(memory_directives, max_size=4))))
        for target in draw(st.lists(st.sampled_from(TARGETS), unique=True))
    ]
    doc = draw(st.sampled_from(DOCS))
    return Kernel("f", params, draw(computes()), tuple(schedules), tuple(memories), doc)
