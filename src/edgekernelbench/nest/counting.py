"""What the statements of a nest do, counted without running them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import assert_never

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
from edgekernelbench.ir.walk import children
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Let, Loop, Mark, Stmt, Store, Update


@dataclass(frozen=True, slots=True)
class Count:
    """What statements do in one run; guards are taken to hold.

    Attributes:
        flops: Operations on floats, each function of the language one; a fused multiply and add is two.
        integer_ops: Operations on integers and truth values, index arithmetic left out.
        vector_ops: Those of both kinds that stand in vector loops.
        loaded_bytes: Bytes that reads ask for, of whatever memory.
        stored_bytes: Bytes that stores and updates write.
    """

    flops: int = 0
    integer_ops: int = 0
    vector_ops: int = 0
    loaded_bytes: int = 0
    stored_bytes: int = 0

    def plus(self, other: "Count") -> "Count":
        """Add."""
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Count)))

    def times(self, number: int) -> "Count":
        """Repeat."""
        return Count(*(getattr(self, f.name) * number for f in fields(Count)))


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts what statements do.

    Attributes:
        buffers: The buffers by name.
    """

    buffers: Mapping[str, Buffer]

    def block(self, body: tuple[Stmt, ...], *, in_vector: bool) -> Count:
        """Count what statements do, loops as often as they run.

        Args:
            body: The statements.
            in_vector: Whether a vector loop is round them.
        """
        total = Count()
        for stmt in body:
            total = total.plus(self._statement(stmt, in_vector=in_vector))
        return total

    def _statement(self, stmt: Stmt, *, in_vector: bool) -> Count:
        match stmt:
            case Loop(extent=extent, body=body, mark=mark):
                return self.block(body, in_vector=in_vector or mark is Mark.VECTOR).times(extent)
            case Let(body=body) | Allocate(body=body):
                return self.block(body, in_vector=in_vector)
            case Guard(condition=condition, body=body):
                test = self.expression(condition, in_vector=in_vector)
                return test.plus(self.block(body, in_vector=in_vector))
            case Store(buffer=buffer, value=value):
                return self.expression(value, in_vector=in_vector).plus(self._written(buffer))
            case Update(buffer=buffer, value=value):
                is_float = self.buffers[buffer].dtype.is_float
                step = _one(is_float=is_float, in_vector=in_vector)
                held = Count(loaded_bytes=self._bytes(buffer)).plus(self._written(buffer))
                return self.expression(value, in_vector=in_vector).plus(step).plus(held)
            case _:
                assert_never(stmt)

    def _written(self, buffer: str) -> Count:
        return Count(stored_bytes=self._bytes(buffer))

    def _bytes(self, buffer: str) -> int:
        return max(1, self.buffers[buffer].dtype.bits // 8)

    def expression(self, node: Expr, *, in_vector: bool) -> Count:
        """Count what one evaluation of an expression does."""
        match node:
            case Literal() | Axis():
                return Count()
            case Read(tensor=tensor):
                return Count(loaded_bytes=self._bytes(tensor))
            case Binary() | Unary() | Compare() | Logic() | Call() | Select() | Power() | Cast():
                total = Count()
                for part in children(node):
                    total = total.plus(self.expression(part, in_vector=in_vector))
                if _is_free(node):
                    return total
                kinds = {node.dtype, *(part.dtype for part in children(node))}
                is_float = any(kind is not None and kind.is_float for kind in kinds)
                return total.plus(_one(is_float=is_float, in_vector=in_vector).times(_steps(node)))
            case _:
                assert_never(node)


def _is_free(node: Expr) -> bool:
    """Whether a node is no operation on values: a widening, or arithmetic on positions alone."""
    if isinstance(node, Cast) and node.implicit:
        return True
    return all(_is_position(part) for part in children(node))


def _is_position(node: Expr) -> bool:
    match node:
        case Literal() | Axis():
            return True
        case Binary() | Unary() | Compare() | Logic():
            return all(_is_position(part) for part in children(node))
        case _:
            return False


def _steps(node: Expr) -> int:
    match node:
        case Power(exponent=exponent):
            return exponent - 1
        case Compare(ops=ops):
            return len(ops)
        case Logic(operands=operands):
            return len(operands) - 1
        case Call(function="min" | "max", args=args):
            return len(args) - 1
        case _:
            return 1


def _one(*, is_float: bool, in_vector: bool) -> Count:
    return Count(flops=int(is_float), integer_ops=int(not is_float), vector_ops=int(in_vector))
