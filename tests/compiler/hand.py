"""Short ways to write typed expressions and nests by hand."""

from collections.abc import Sequence

from edgekernelbench.compiler.programs import Term
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Expr, Literal, Read
from edgekernelbench.nest.tree import Buffer, Kind, Loop, Mark, Nest, Role, Stmt
from edgekernelbench.profiles.profile import DeviceClass, Profile

HOST = Profile(
    "test",
    "a test machine",
    "llvm",
    DeviceClass.SERVER,
    threads=2,
    vector_bytes=64,
    vector_registers=32,
    cpu="native",
)
SERIAL = Profile(
    "serial",
    "one thread",
    "llvm",
    DeviceClass.SERVER,
    threads=1,
    vector_bytes=64,
    vector_registers=32,
    cpu="native",
)


def axis(name: str) -> Term:
    return Term(Axis(name, dtype=DType.I32))


def lit(value: float, dtype: DType = DType.F32) -> Term:
    return Term(Literal(value, dtype=dtype))


def read(buffer: Buffer, *indices: Term | int | str) -> Term:
    return Term(Read(buffer.name, places(*indices), dtype=buffer.dtype))


def places(*indices: Term | int | str) -> tuple[Expr, ...]:
    return tuple(
        (axis(i) if isinstance(i, str) else lit(i, DType.I32) if isinstance(i, int) else i).expr
        for i in indices
    )


def param(name: str, *shape: int, dtype: DType = DType.F32) -> Buffer:
    return Buffer(name, dtype, shape, Role.PARAM)


def output(name: str, *shape: int, dtype: DType = DType.F32) -> Buffer:
    return Buffer(name, dtype, shape, Role.OUTPUT)


def work(name: str, *shape: int, dtype: DType = DType.F32, scope: str = "global") -> Buffer:
    return Buffer(name, dtype, shape, Role.WORK, scope)


def loops(
    spec: Sequence[tuple[str, int] | tuple[str, int, Mark]], *body: Stmt, kind: Kind = Kind.DATA
) -> Loop:
    """Nest loops; neighbours that are marked `PARALLEL` are one loop."""
    inner = body
    for name, extent, *mark in reversed(spec):
        marked = mark[0] if mark else Mark.SERIAL
        fused = 1 if marked is Mark.PARALLEL else None
        inner = (Loop(name, extent, tuple(inner), kind, marked, fused),)
    (result,) = inner
    assert isinstance(result, Loop)
    return result


def nest(
    params: Sequence[Buffer],
    outputs: Sequence[Buffer],
    *body: Stmt,
    prepared: tuple[Buffer, ...] = (),
    tables: tuple[Buffer, ...] = (),
    prepare: tuple[Stmt, ...] = (),
) -> Nest:
    return Nest("kernel", "llvm", tuple(params), tuple(outputs), prepared, tables, prepare, body)
