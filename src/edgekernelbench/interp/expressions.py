"""Typed expressions as closures that give arrays over a block.

What does not vary in a block is computed as a single value, so that a condition on a step or on a scalar
chooses its side as the language says. Where a condition varies, both sides are computed, with indices
clipped, and what was not chosen is thrown away.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import storage_type
from edgekernelbench.interp.array_functions import (
    array_cast,
    array_function,
    array_operator,
    array_unary,
)
from edgekernelbench.interp.closures import Closure, Environment, Scope, build_closure, typed
from edgekernelbench.interp.grid import POINTS, Grid
from edgekernelbench.interp.memory import Memory
from edgekernelbench.interp.reading import read_closure
from edgekernelbench.interp.windows import affine_closure
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Power,
    Read,
    Select,
    Unary,
)
from edgekernelbench.ir.walk import walk

Array = NDArray[Any]


class Expressions:
    """Builds closures for one block.

    A closure gives a Python value or NumPy scalar where nothing varies, else an array of the grid's rank.
    """

    def __init__(self, grid: Grid, memory: Memory) -> None:
        self._grid = grid
        self._memory = memory

    def closure(self, node: Expr, *, guarded: bool = False) -> Closure:
        """Turn an expression into a function of the environment.

        Args:
            node: A typed expression.
            guarded: Whether it is computed at positions where its value will not be used.
        """
        if not self._grid.varying(node):
            return self._uniform(node, guarded=guarded)
        closure = self._varying(node, guarded=guarded)
        return _once(closure) if self._is_constant(node) else closure

    def _is_constant(self, node: Expr) -> bool:
        """Whether the value is the same in every evaluation, so that it is computed but once."""
        if not self._grid.stays(node):
            return False
        return not any(isinstance(n, Read) and self._memory.is_growing(n.tensor) for n in walk(node))

    def _varying(self, node: Expr, *, guarded: bool) -> Closure:
        match node:
            case Literal():
                return self._uniform(node, guarded=guarded)
            case Axis(name=name):
                return self._axis(name)
            case Read():
                return self._read(node, guarded=guarded)
            case Select():
                return self._select(node, guarded=guarded)
            case Logic(op=op, operands=operands):
                return self._logic(op, operands, guarded=guarded)
            case Compare():
                return self._compare(node, guarded=guarded)
            case _:
                return self._operation(node, guarded=guarded)

    def _operation(self, node: Unary | Binary | Power | Call | Cast, *, guarded: bool) -> Closure:
        dtype = typed(node)
        match node:
            case Cast():
                return self._cast(node, guarded=guarded)
            case Unary(op=op, operand=operand):
                function, inner = array_unary(op, dtype), self.closure(operand, guarded=guarded)
                return lambda env: function(inner(env))
            case Power(base=base, exponent=exponent):
                return _power(self.closure(base, guarded=guarded), exponent)
            case Binary(op=op, left=left, right=right):
                function = array_operator(op, dtype)
                first, second = self.closure(left, guarded=guarded), self.closure(right, guarded=guarded)
                return lambda env: function(first(env), second(env))
            case Call(function=name, args=args):
                function = array_function(
                    name, tuple(typed(arg) for arg in args), dtype, self._grid.precision
                )
                parts = tuple(self.closure(arg, guarded=guarded) for arg in args)
                return lambda env: function(*[part(env) for part in parts])
            case _:
                assert_never(node)

    def _uniform(self, node: Expr, *, guarded: bool) -> Closure:
        def read(node: Read, indices: tuple[Closure, ...]) -> Closure:
            quick = [affine_closure(part, self._grid.slots) for part in node.indices]
            chosen = tuple(fast or slow for fast, slow in zip(quick, indices, strict=True))
            return _single(self._memory.array(node.tensor), node, chosen, guarded=guarded)

        scope = Scope(self._grid.slots, read, self._grid.precision, lenient=guarded)
        return build_closure(node, scope)

    def _axis(self, name: str) -> Closure:
        slot = self._grid.slots[name]
        if name in self._grid.points:
            shape = self._grid.shape_over(frozenset({POINTS}))
            return lambda env: env[slot].reshape(shape)
        steps = np.arange(self._grid.extents[name], dtype=np.int32)
        steps = steps.reshape(self._grid.shape_over(frozenset({name})))
        return lambda env: steps + env[slot] if env[slot] else steps

    def _read(self, node: Read, *, guarded: bool) -> Closure:
        return self._read_from(node, self._memory.array(node.tensor), guarded=guarded)

    def _read_from(self, node: Read, array: Array, *, guarded: bool) -> Closure:
        def index(dim: int) -> Closure:
            return self.closure(node.indices[dim], guarded=guarded)

        return read_closure(node, array, self._grid, index, guarded=guarded)

    def _cast(self, node: Cast, *, guarded: bool) -> Closure:
        source = typed(node.operand)
        if source is node.to or (
            self._grid.precision == "reference" and source.is_float and node.to.is_float
        ):
            return self.closure(node.operand, guarded=guarded)
        if isinstance(node.operand, Read):
            # windows overlap: converting the tensor once is cheaper than each of its windows
            whole = self._memory.cast(node.operand.tensor, node.to, saturate=node.saturate)
            if whole is not None:
                return self._read_from(replace(node.operand, dtype=node.to), whole, guarded=guarded)
        cast = array_cast(source, node.to, saturate=node.saturate, precision=self._grid.precision)
        inner = self.closure(node.operand, guarded=guarded)
        return lambda env: cast(inner(env))

    def _select(self, node: Select, *, guarded: bool) -> Closure:
        varies = bool(self._grid.varying(node.condition))
        test = self.closure(node.condition, guarded=guarded)
        yes = self.closure(node.then, guarded=guarded or varies)
        no = self.closure(node.other, guarded=guarded or varies)
        held = storage_type(typed(node), self._grid.precision)
        if not varies:
            return lambda env: _held(yes(env) if test(env) else no(env), held)

        def select(env: Environment) -> Any:
            chosen = test(env)
            if np.ndim(chosen) == 0:
                return _held(yes(env) if chosen else no(env), held)
            if chosen.all():
                return _held(yes(env), held)
            if not chosen.any():
                return _held(no(env), held)
            return np.where(chosen, _held(yes(env), held), _held(no(env), held))

        return select

    def _logic(self, op: str, operands: tuple[Expr, ...], *, guarded: bool) -> Closure:
        parts: list[Closure] = []
        for operand in operands:
            parts.append(self.closure(operand, guarded=guarded))
            guarded = guarded or bool(self._grid.varying(operand))
        stops = op == "or"
        join = np.logical_or if stops else np.logical_and

        def logic(env: Environment) -> Any:
            result: Any = np.bool_(not stops)
            for part in parts:
                value = part(env)
                if np.ndim(value) == 0 and bool(value) is stops:
                    return np.bool_(stops)
                result = value if np.ndim(result) == 0 else join(result, value)
            return result

        return logic

    def _compare(self, node: Compare, *, guarded: bool) -> Closure:
        tests = tuple(array_operator(op, DType.BOOL) for op in node.ops)
        parts = tuple(
            self.closure(operand, guarded=guarded or place > 1) for place, operand in enumerate(node.operands)
        )
        if len(tests) == 1:
            test, (left, right) = tests[0], parts
            return lambda env: test(left(env), right(env))

        def chain(env: Environment) -> Any:
            values = [part(env) for part in parts]
            result = tests[0](values[0], values[1])
            for place, compare in enumerate(tests[1:], 1):
                result = np.logical_and(result, compare(values[place], values[place + 1]))
            return result

        return chain


def _once(closure: Closure) -> Closure:
    kept: list[Any] = []

    def once(env: Environment) -> Any:
        if not kept:
            kept.append(closure(env))
        return kept[0]

    return once


def _held(value: Any, dtype: np.dtype[Any]) -> Any:
    return value if isinstance(value, np.ndarray) else dtype.type(value)


def _power(base: Closure, exponent: int) -> Closure:
    def power(env: Environment) -> Any:
        value = result = base(env)
        for _ in range(exponent - 1):
            result = np.multiply(result, value)
        return result

    return power


def _single(array: Array, node: Read, indices: tuple[Closure, ...], *, guarded: bool) -> Closure:
    """Read one element, as the type in which single values are computed."""
    dtype = typed(node)
    shape, name = array.shape, node.tensor
    # Python numbers are the quickest; a narrow float must stay what it is
    plain = not dtype.is_float or array.dtype == np.float64
    fetch: Callable[..., Any] = array.item if plain else lambda *where: array[where]

    def outside(where: tuple[int, ...]) -> Any:
        if not guarded:
            raise InternalError(f"expected an index inside {name}{list(shape)}, found {list(where)}")
        return fetch(*(min(max(i, 0), n - 1) for i, n in zip(where, shape, strict=True)))

    match indices:
        case (row,):
            (rows,) = shape

            def read_vector(env: Environment) -> Any:
                i = row(env)
                return fetch(i) if 0 <= i < rows else outside((i,))

            return read_vector
        case (row, column):
            rows, columns = shape

            def read_matrix(env: Environment) -> Any:
                i, j = row(env), column(env)
                return fetch(i, j) if 0 <= i < rows and 0 <= j < columns else outside((i, j))

            return read_matrix
        case _:

            def read(env: Environment) -> Any:
                where = tuple([index(env) for index in indices])
                inside = all(0 <= i < n for i, n in zip(where, shape, strict=True))
                return fetch(*where) if inside else outside(where)

            return read
