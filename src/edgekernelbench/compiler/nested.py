"""Gives functions inside the arguments of functions statements of their own.

A function is a few dozen steps that name each other. To know more of indices, TVM's code generator puts each
value in the place of its name, so nested functions would cost it time exponential in their depth.
"""

from dataclasses import dataclass, field, replace

from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.rewrite import with_body
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Call, Expr, Literal, Logic, Power, Read, Select
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.nest.indices import conjunction, negate
from edgekernelbench.nest.linear import number, variable
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Loop, Mark, Role, Stmt, Store, Update, inner


def separate_nested(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Rewrite statements so that no function stands in the argument of another.

    Args:
        body: Statements whose vector loops stand round single statements.

    Returns:
        The same computation; intermediate values wait in small buffers.
    """
    return _Separation().block(body)


@dataclass(slots=True)
class _Separation:
    count: int = 0

    def block(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(self._statement(stmt) for stmt in body)

    def _statement(self, stmt: Stmt) -> Stmt:
        match stmt:
            case Loop(mark=Mark.VECTOR, body=(Store() | Update() as leaf,)):
                return self._leaf(leaf, stmt, None)
            case Loop(mark=Mark.VECTOR, body=(Guard(body=(Store() | Update() as leaf,)) as guard,)):
                return self._leaf(leaf, stmt, guard)
            case Store() | Update():
                return self._leaf(stmt, None, None)
            case _:
                return with_body(stmt, self.block(inner(stmt)))

    def _leaf(self, leaf: Store | Update, lanes: Loop | None, guard: Guard | None) -> Stmt:
        """Take a statement apart; each piece gets the loop and the guard that stood round it."""

        def wrapped(stmt: Stmt) -> Stmt:
            held = stmt if guard is None else replace(guard, body=(stmt,))
            return held if lanes is None else replace(lanes, body=(held,))

        pieces = _Pieces(f"part{self.count}", lanes)
        value = pieces.lifted(leaf.value, (), nested=False)
        if not pieces.stores:
            return wrapped(leaf)
        self.count += 1
        last = replace(leaf, value=value)
        return Allocate(tuple(pieces.buffers), tuple(wrapped(stmt) for stmt in (*pieces.stores, last)))


@dataclass(slots=True)
class _Pieces:
    """The intermediate values of one statement."""

    name: str
    lanes: Loop | None
    buffers: list[Buffer] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    known: dict[Expr, Expr] = field(default_factory=dict)
    seen: dict[tuple[int, bool], Expr] = field(default_factory=dict)

    def lifted(self, node: Expr, conditions: tuple[Expr, ...], *, nested: bool) -> Expr:
        """Rewrite an expression.

        Args:
            node: The expression.
            conditions: Under which it is evaluated.
            nested: Whether it stands in an argument of a function, or in a condition.
        """
        key = (id(node), nested)
        if not conditions and key in self.seen:
            return self.seen[key]
        heavy = _is_function(node)
        fresh = self._rebuilt(node, conditions, nested=nested or heavy)
        if heavy and nested:
            fresh = self._waiting(fresh, conditions)
        if not conditions:
            self.seen[key] = fresh
        return fresh

    def _rebuilt(self, node: Expr, conditions: tuple[Expr, ...], *, nested: bool) -> Expr:
        match node:
            case Select(condition=asked, then=then, other=other):
                # A condition is the mask of the reads of both sides: it is written as often as they are.
                test = self.lifted(asked, conditions, nested=True)
                sides = ((then, test), (other, negate(test)))
                parts = [self.lifted(side, (*conditions, met), nested=nested) for side, met in sides]
                return with_children(node, (test, *parts))
            case Logic(op=op, operands=operands):
                tests: list[Expr] = []
                for operand in operands:
                    met = tuple(tests) if op == "and" else tuple(map(negate, tests))
                    tests.append(self.lifted(operand, (*conditions, *met), nested=True))
                return with_children(node, tuple(tests))
            case _:
                parts = [self.lifted(part, conditions, nested=nested) for part in children(node)]
                same = all(a is b for a, b in zip(parts, children(node), strict=True))
                return node if same else with_children(node, tuple(parts))

    def _waiting(self, value: Expr, conditions: tuple[Expr, ...]) -> Expr:
        """Store a value, nothing where its conditions fail, and read it."""
        dtype = value.dtype or DType.F32
        if conditions:
            value = Select(conjunction(conditions), value, Literal(0.0, dtype=dtype), dtype=dtype)
        if value not in self.known:
            lanes = self.lanes
            name = f"{self.name}.{len(self.buffers)}"
            indices = (number(0),) if lanes is None else (variable(lanes.var),)
            shape = (1 if lanes is None else lanes.extent,)
            self.buffers.append(Buffer(name, dtype, shape, Role.WORK, "local"))
            self.stores.append(Store(name, indices, value))
            self.known[value] = Read(name, indices, dtype=dtype)
        return self.known[value]


def _is_function(node: Expr) -> bool:
    match node:
        case Call(function=name, args=(first, *_)):
            return name in PROGRAMS and first.dtype in (DType.F32, DType.F16, DType.BF16)
        case Power(base=base):
            return not isinstance(base, Read | Axis | Literal)
        case _:
            return False
