"""Random trees: whatever they are, they verify or are refused, and in little time."""

from contextlib import suppress
from random import Random
from time import process_time

import pytest

from edgekernelbench.base.errors import SourceError
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
from edgekernelbench.lang.words import FUNCTIONS
from edgekernelbench.verify.compute import verify_compute

NUMBERS = (0, 1, -1, 5, 300, 2**31, 2**63, -(2**70), 0.5, float("inf"), float("nan"), 1e300, True, False)
OPS = ("+", "-", "*", "/", "//", "%", "<<", ">>", "&", "|", "^")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
AXES = ("i", "j", "k", "t")
SIZE = 8


class Tree:
    """Draws kernels.

    Attributes:
        wild: How often a piece is of no sense at all.
    """

    def __init__(self, seed: int, wild: float) -> None:
        self.random = Random(seed)  # noqa: S311 - draws trees, keeps no secret
        self.wild = wild
        self.tensors: dict[str, int] = {}
        self.axes: tuple[str, ...] = ()

    def kernel(self) -> Kernel:
        """Draw a kernel."""
        params = []
        for name in ("x", "y", "z"):
            rank = self.random.randint(0, 2)
            bounds = self.random.choice((None, None, (0, SIZE), (-4, 2**40)))
            dtype = self.random.choice((DType.I32, DType.F32, DType.I32, self.random.choice(list(DType))))
            params.append(Param(name, dtype, (SIZE,) * rank, bounds=bounds if dtype.is_int else None))
            self.tensors[name] = rank
        items = tuple(self.item(2) for _ in range(self.random.randint(1, 4)))
        outputs = [name for name in self.tensors if name.startswith("s")][-2:]
        return Kernel("k", tuple(params), Compute(items, tuple(outputs)))

    def item(self, depth: int, inside: tuple[str, ...] = ()) -> Item:
        """Draw a stage, a table or a `for`."""
        choice = self.random.random()
        if choice < 0.3 and depth:
            axis = self.random.choice(AXES)
            count = self.random.randint(1, 3)
            return Ordered(axis, SIZE, tuple(self.item(depth - 1, (*inside, axis)) for _ in range(count)))
        if choice < 0.35:
            name = f"t{len(self.tensors)}"
            self.tensors[name] = 1
            return Table(
                name, self.random.choice(list(DType)), (SIZE,), (self.random.choice(NUMBERS),) * SIZE
            )
        return self.stage(inside)

    def stage(self, inside: tuple[str, ...]) -> Stage:
        """Draw a stage."""
        own = tuple(axis for axis in AXES if axis in inside or self.random.random() < 0.4)
        name = f"s{len(self.tensors)}"
        self.tensors[name] = len(own)
        self.axes = own
        value: Expr | Reduction
        if self.random.random() < 0.3:
            axis = self.random.choice(("r", *AXES))
            self.axes = (*own, axis)
            conditions = tuple(self.condition(2) for _ in range(self.random.randint(0, 1)))
            element = self.number(3)
            value = Reduction(self.random.choice(REDUCTIONS), element, (Over(axis, 0, SIZE, conditions),))
        else:
            value = self.number(4)
        dtype = self.random.choice((DType.I32, DType.F32, DType.I64, self.random.choice(list(DType))))
        return Stage(name, own, dtype, (SIZE,) * len(own), value)

    def number(self, depth: int) -> Expr:
        """Draw an expression, mostly a number."""
        draw, below = self.random, depth - 1
        if draw.random() < self.wild:
            return self.condition(0)
        if depth <= 0 or draw.random() < 0.15:
            return self.leaf()
        match draw.randint(0, 9):
            case 0:
                return Unary(draw.choice("-~"), self.number(below))
            case 1 | 2:
                return Binary(draw.choice(OPS), self.number(below), self.number(below))
            case 3:
                return Power(self.number(below), draw.randint(2, 8))
            case 4:
                return Select(self.condition(below), self.number(below), self.number(below))
            case 5:
                name = draw.choice(sorted(FUNCTIONS))
                count = FUNCTIONS[name][0] + (draw.random() < self.wild)
                return Call(name, tuple(self.number(below) for _ in range(count)))
            case 6:
                return Cast(draw.choice(list(DType)), self.number(below), draw.random() < 0.3)
            case _:
                return self.read(below)

    def condition(self, depth: int) -> Expr:
        """Draw a condition."""
        below = depth - 1
        if depth <= 0 or self.random.random() < 0.4:
            count = self.random.randint(1, 2)
            ops = tuple(self.random.choice(COMPARISONS) for _ in range(count))
            return Compare(ops, tuple(self.number(below) for _ in range(count + 1)))
        if self.random.random() < 0.3:
            return Unary("not", self.condition(below))
        count = self.random.randint(2, 3)
        return Logic(self.random.choice(("and", "or")), tuple(self.condition(below) for _ in range(count)))

    def read(self, depth: int) -> Expr:
        """Draw a read of what stands above, or anywhere."""
        name = self.random.choice(sorted(self.tensors)) if self.random.random() >= self.wild else "unknown"
        rank = self.tensors.get(name, 1) + (self.random.random() < self.wild)
        return Read(name, tuple(self.index(depth) for _ in range(rank)))

    def index(self, depth: int) -> Expr:
        """Draw an index that is often in range."""
        match self.random.randint(0, 3):
            case 0 if self.axes:
                return Axis(self.random.choice(self.axes))
            case 1:
                return Call("clamp", (self.number(depth - 1), Literal(0), Literal(SIZE - 1)))
            case 2 if self.axes:
                return Binary("-", Axis(self.random.choice(self.axes)), Literal(1))
            case _:
                return self.number(depth - 1)

    def leaf(self) -> Expr:
        """Draw an axis, a number or a scalar."""
        if self.random.random() < 0.5 and self.axes:
            return Axis(self.random.choice(self.axes))
        if self.random.random() < self.wild:
            return Axis("nowhere")
        return Literal(self.random.choice(NUMBERS if self.random.random() < 0.3 else (0, 1, 2, 3, 7)))


@pytest.mark.parametrize("wild", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("block", range(4))
def test_random_trees_verify_or_are_refused(block: int, wild: float) -> None:
    for seed in range(100 * block, 100 * block + 100):
        kernel = Tree(seed, wild).kernel()
        start = process_time()
        with suppress(SourceError):
            verify_compute(kernel)
        assert process_time() - start < 2.0, f"seed {seed}"
