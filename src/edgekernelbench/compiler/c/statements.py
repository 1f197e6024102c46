"""Statements of a nest as C."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arena import Arena
from edgekernelbench.compiler.arrays import is_packed, stored_shape
from edgekernelbench.compiler.c.expressions import Expressions, store_text, typed, value_type
from edgekernelbench.compiler.c.helpers import WIDTHS, Helpers
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.nest.tree import Allocate, Buffer, Guard, Let, Loop, Mark, Stmt, Store, Update

_COMBINE = {"sum": "+", "prod": "*"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands.

    Attributes:
        buffers: What can be named.
        signed: Names that can be negative.
        in_parallel: Whether several threads run it.
        in_vector: Whether a vector loop is round it.
    """

    buffers: Mapping[str, Buffer]
    signed: frozenset[str] = frozenset()
    in_parallel: bool = False
    in_vector: bool = False


@dataclass(slots=True)
class Statements:
    """Writes statements; `lines` grows.

    Attributes:
        names: Identifiers.
        helpers: Collects the functions used.
        arena: Where workspace lies.
        threads: Threads of a parallel loop; 1 writes serial loops only.
        lines: What was written.
    """

    names: Names
    helpers: Helpers
    arena: Arena
    threads: int
    lines: list[str] = field(default_factory=list)
    _stage: str = ""

    def block(self, body: tuple[Stmt, ...], place: Place, depth: int) -> None:
        """Write statements, one after another."""
        for stmt in body:
            self._statement(stmt, place, depth)

    def _put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _statement(self, stmt: Stmt, place: Place, depth: int) -> None:
        match stmt:
            case Loop():
                self._loop(stmt, place, depth)
            case Let(var=var, value=value, body=body):
                self._put(depth, "{")
                text = self._expressions(place).value(value).text
                self._put(depth + 1, f"const int64_t {self.names[var]} = {text};")
                self.block(body, replace(place, signed=place.signed | {var}), depth + 1)
                self._put(depth, "}")
            case Guard(condition=condition, body=body):
                self._put(depth, f"if ({self._expressions(place).value(condition).text}) {{")
                self.block(body, place, depth + 1)
                self._put(depth, "}")
            case Allocate(buffers=buffers, body=body):
                self._put(depth, "{")
                for buffer in buffers:
                    self._put(depth + 1, self.declare(buffer))
                inner = replace(place, buffers={**place.buffers, **{b.name: b for b in buffers}})
                self.block(body, inner, depth + 1)
                self._put(depth, "}")
            case Store():
                self._mention(stmt.stage, depth)
                self._store(stmt, place, depth)
            case Update():
                self._mention(stmt.stage, depth)
                self._update(stmt, place, depth)
            case _:
                assert_never(stmt)

    def _mention(self, stage: str, depth: int) -> None:
        if stage and stage != self._stage:
            self._put(depth, f"/* {stage} */")
        self._stage = stage

    def _loop(self, loop: Loop, place: Place, depth: int) -> None:
        fused = [loop]
        while _continues(fused[-1], loop):
            fused.append(fused[-1].body[0])  # type: ignore[arg-type]
        outermost = loop.mark is Mark.PARALLEL and not place.in_parallel
        parallel = outermost and self.threads > 1
        if parallel:
            several = f" collapse({len(fused)})" if len(fused) > 1 else ""
            self._put(0, f"#pragma omp parallel for num_threads({self.threads}) schedule(static){several}")
        vector = loop.mark is Mark.VECTOR
        if vector and not any(isinstance(s, Allocate) for s in loop.body):
            self._put(0, "#pragma GCC ivdep")
        if loop.mark is Mark.UNROLL:
            self._put(0, f"#pragma GCC unroll {min(loop.extent, 65534)}")
        loops = fused if parallel else [loop]
        for number, one in enumerate(loops):
            var = self.names[one.var]
            self._put(depth + number, f"for (int64_t {var} = 0; {var} < {one.extent}; ++{var}) {{")
        last = depth + len(loops)
        if outermost and self.arena.thread_bytes:
            offset = f" + omp_get_thread_num() * INT64_C({self.arena.thread_bytes})" if parallel else ""
            self._put(last, f"unsigned char *thread_area = workspace + {self.arena.run_bytes}{offset};")
        inner = replace(
            place, in_parallel=place.in_parallel or outermost, in_vector=place.in_vector or vector
        )
        self.block(loops[-1].body, inner, last)
        for number in reversed(range(len(loops))):
            self._put(depth + number, "}")

    def declare(self, buffer: Buffer) -> str:
        """Write the declaration of a workspace buffer."""
        ctype, name = storage_type(buffer.dtype, self.helpers), self.names[buffer.name]
        slot = self.arena.slots[buffer.name]
        first, *rest = stored_shape(buffer)
        tail = "".join(f"[{size}]" for size in rest)
        if slot.area == "stack":
            return f"_Alignas({max(64, buffer.align)}) {ctype} {name}[{first}]{tail};"
        area = "thread_area" if slot.area == "thread" else "workspace"
        # Two buffers that share bytes at different times must not be promised apart.
        promise = "restrict " if slot.alone else ""
        return f"{ctype} (*{promise}{name}){tail} = (void *)({area} + {slot.offset});"

    def _expressions(self, place: Place) -> Expressions:
        writer: Expressions

        def read(node: Read) -> str:
            return self._read(node, writer, place)

        writer = Expressions(
            self.helpers, self.names.__getitem__, read, own_mathematics=place.in_vector, signed=place.signed
        )
        return writer

    def _read(self, node: Read, writer: Expressions, place: Place) -> str:
        buffer = _find(place, node.tensor)
        element = self._element(buffer, node.indices, writer)
        if is_packed(buffer.dtype):
            self.helpers.block("nibbles")
            return f"ekb_{buffer.dtype}({element}, {writer.value(node.indices[-1]).text})"
        if buffer.dtype in (DType.F16, DType.BF16):
            return f"ekb_from_{buffer.dtype}({element})"
        return element

    def _element(self, buffer: Buffer, indices: tuple[Expr, ...], writer: Expressions) -> str:
        texts = [writer.value(index).text for index in indices] or ["0"]
        if is_packed(buffer.dtype):
            texts[-1] = f"{writer.value(indices[-1]).at(12)} >> 1"
        return self.names[buffer.name] + "".join(f"[{text}]" for text in texts)

    def _store(self, store: Store, place: Place, depth: int) -> None:
        writer, buffer = self._expressions(place), _find(place, store.buffer)
        target = self._element(buffer, store.indices, writer)
        value = writer.value(store.value).text
        if is_packed(buffer.dtype):
            self.helpers.block("nibbles")
            index = writer.value(store.indices[-1]).text
            self._put(depth, f"ekb_put_nibble(&{target}, {index}, {value});")
            return
        storage_type(buffer.dtype, self.helpers)
        self._put(depth, f"{target} = {store_text(typed(store.value), buffer.dtype, value)};")

    def _update(self, update: Update, place: Place, depth: int) -> None:
        writer, buffer = self._expressions(place), _find(place, update.buffer)
        target = self._element(buffer, update.indices, writer)
        if update.best:
            self._arg_update(update, target, place, depth)
            return
        old, dtype = self._read(Read(update.buffer, update.indices), writer, place), buffer.dtype
        value = writer.narrow(update.value)
        if update.kind in _COMBINE:
            op = _COMBINE[update.kind]
            if dtype.is_float:
                dtype_text = f"{old} {op} {value.at(13)}"
                self._put(depth, f"{target} = {store_text(DType.F32, dtype, dtype_text)};")
            else:
                self._put(depth, f"{target} {op}= {value.text};")
        elif update.kind in ("any", "all"):
            op = "|=" if update.kind == "any" else "&="
            self._put(depth, f"{target} {op} {value.text};")
        else:
            call = f"{self.helpers.use(update.kind, dtype.value)}({old}, {value.text})"
            self._put(depth, f"{target} = {store_text(DType.F32, dtype, call)};")

    def _arg_update(self, update: Update, target: str, place: Place, depth: int) -> None:
        if update.position is None:
            raise InternalError(f"expected a position for {update.kind} of {update.buffer}")
        writer, best = self._expressions(place), _find(place, update.best)
        held = self._read(Read(update.best, update.indices), writer, place)
        op = ">" if update.kind == "argmax" else "<"
        self._put(depth, "{")
        kind = value_type(typed(update.value))
        self._put(depth + 1, f"const {kind} candidate = {writer.narrow(update.value).text};")
        self._put(depth + 1, f"const int32_t position = {writer.value(update.position).text};")
        beats = f"{target} < 0 || candidate {op} {held} || (candidate == {held} && position < {target})"
        self._put(depth + 1, f"if (position >= 0 && ({beats})) {{")
        stored = self._element(best, update.indices, writer)
        text = store_text(typed(update.value), best.dtype, "candidate")
        self._put(depth + 2, f"{stored} = {text};")
        self._put(depth + 2, f"{target} = position;")
        self._put(depth + 1, "}")
        self._put(depth, "}")


def storage_type(dtype: DType, helpers: Helpers) -> str:
    """Give the C type of a stored element."""
    match dtype:
        case DType.BOOL | DType.I4 | DType.U4:
            return "uint8_t"
        case DType.F16 | DType.BF16:
            helpers.block(dtype.value)
            return f"ekb_{dtype}"
        case _:
            return WIDTHS[dtype.value]


def _continues(inner: Loop, outer: Loop) -> bool:
    """Whether the loop directly inside belongs to the same `parallel`."""
    following = inner.body[0]
    return (
        len(inner.body) == 1
        and isinstance(following, Loop)
        and following.mark is Mark.PARALLEL
        and outer.mark is Mark.PARALLEL
        and outer.fused is not None
        and following.fused == outer.fused
    )


def _find(place: Place, name: str) -> Buffer:
    if name not in place.buffers:
        raise InternalError(f"expected a buffer in scope, found {name!r}")
    return place.buffers[name]
