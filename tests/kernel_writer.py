"""Draws the expressions of kernel texts for `tests.strategies`: well typed, with indices that are proven."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from edgekernelbench.ir.dtype import DType

FLOATS = ("f32", "f16", "bf16", "f64")
SMOOTH = ("exp", "tanh", "sigmoid", "sin", "cos", "atan", "erf")
SMALL_FORMS = (
    *("({0} + {1})", "({0} - {1})", "({0} // {2})", "({0} % {2})", "({0} & {1})", "({0} | {1})"),
    *("({0} ^ {1})", "(~{0})", "(-{0})", "({0} >> {2})", "({0} << {2})", "min({0}, {1})"),
    *("max({0}, {1})", "abs({0})", "popcount({0})", "({0} if {1} > {2} else {1})"),
)
JUMPING = ("floor", "ceil", "trunc", "round")


@dataclass(frozen=True)
class Tensor:
    """What expressions can read.

    Attributes:
        bound: For an index tensor, its values are below this; else 0.
        exact: Whether its floats are free of rounding.
        given: Whether it is a parameter, whose floats are small.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    bound: int = 0
    exact: bool = True
    given: bool = True


@dataclass
class Writer:
    """Draws one text line by line."""

    draw: DrawFn
    tensors: list[Tensor] = field(default_factory=list)
    axes: dict[str, int] = field(default_factory=dict)
    inexact: bool = False
    count: int = 0

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def chance(self) -> bool:
        return bool(self.draw(st.booleans()))

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def size(self) -> int:
        return int(self.draw(st.integers(1, 5)))

    # Indices

    def index(self, size: int, *, nested: bool = False) -> str:
        """An index that is proven to be in `0..size-1`."""
        tables = [t for t in self.tensors if 0 < t.bound <= size and len(t.shape) == 1]
        if tables and not nested and self.chance():
            table = self.pick(tables)
            return f"{table.name}[{self.index(table.shape[0], nested=True)}]"
        options = [str(self.draw(st.integers(0, size - 1)))]
        for axis, extent in self.axes.items():
            options.append(f"{axis} % {size}")
            options.append(f"clamp({axis} * 2 - 1, 0, {size - 1})")
            if extent <= size:
                options += [axis, axis, f"{extent - 1} - {axis}", f"{axis} + {size - extent}"]
            for other, steps in self.axes.items():
                if other != axis and extent + steps - 1 <= size:
                    options += [f"{axis} + {other}", f"{axis} + {steps - 1} - {other}"]
                if other != axis and extent * steps <= size:
                    options.append(f"{axis} * {steps} + {other}")
        return str(self.pick(options))

    def whole(self, tensor: Tensor) -> str:
        """A read of any element of a tensor."""
        self.inexact |= not tensor.exact
        if not tensor.shape:
            return tensor.name
        return f"{tensor.name}[{', '.join(self.index(n) for n in tensor.shape)}]"

    def guarded(self, tensor: Tensor, otherwise: str) -> str | None:
        """A read beyond the edge, behind a condition."""
        fits = [(d, a) for d, n in enumerate(tensor.shape) for a, m in self.axes.items() if m <= n]
        if not fits:
            return None
        dim, axis = self.pick(fits)
        self.inexact |= not tensor.exact
        shift = self.draw(st.integers(1, 2))
        places = [self.index(n) for n in tensor.shape]
        places[dim] = f"{axis} - {shift}"
        return f"({tensor.name}[{', '.join(places)}] if {axis} >= {shift} else {otherwise})"

    # Expressions

    def expression(self, dtype: str, depth: int) -> str:
        if dtype == "bool":
            return self.truth(depth)
        if dtype in FLOATS:
            return self.number(dtype, depth)
        return self.integer(dtype, depth)

    def exact_float(self, dtype: str, depth: int) -> str | None:
        """A float expression that does not round; None when the drawn one does."""
        before, self.inexact = self.inexact, False
        text = self.number(dtype, depth)
        rounds, self.inexact = self.inexact, before
        if rounds:
            self.inexact = True
            return None
        return text

    def number(self, dtype: str, depth: int) -> str:
        if depth == 0:
            return self.leaf(dtype)
        half = dtype in ("f16", "bf16")
        depth = min(depth, 2) if half else depth
        one = self.number(dtype, depth - 1)
        kind = self.pick(("+", "-", "*", "neg", "two", "abs", "if", "smooth", "jump", "/", "power", "leaf"))
        if kind in ("+", "-", "*"):
            self.inexact |= half
            return f"({one} {kind} {self.number(dtype, depth - 1)})"
        match kind:
            case "neg":
                return f"(-{one})"
            case "two":
                return f"{self.pick(('min', 'max'))}({one}, {self.number(dtype, depth - 1)})"
            case "abs":
                return f"abs({one})"
            case "if":
                return f"({one} if {self.truth(depth - 1)} else {self.number(dtype, depth - 1)})"
            case "power" if not half:
                self.inexact = True
                return f"({one} ** {self.pick((2, 3))})"
            case "jump":
                exact = self.exact_float(dtype, depth - 1)
                return one if exact is None else f"{self.pick(JUMPING)}({exact})"
            case "/":
                self.inexact = True
                return f"({one} / (abs({self.number(dtype, depth - 1)}) + 1.0))"
            case "smooth":
                self.inexact = True
                return f"{self.pick(SMOOTH)}(clamp({one}, -4.0, 4.0))"
            case _:
                return one

    def leaf(self, dtype: str) -> str:
        options = [t for t in self.tensors if t.dtype == dtype]
        others = [t for t in self.tensors if t.dtype not in (dtype, "bool")]
        if options and self.pick((True, True, True, False)):
            tensor = self.pick(options)
            text = (self.guarded(tensor, "0.5") if self.chance() else None) or self.whole(tensor)
            # nothing may grow to infinity: what becomes of NaN is not specified
            return text if tensor.given else f"clamp({text}, -8.0, 8.0)"
        if others and self.chance():
            tensor = self.pick(others)
            self.inexact |= tensor.dtype not in ("i8", "u8") or dtype in ("f16", "bf16")
            bounds = "-8, 8" if DType(tensor.dtype).is_signed else "0, 8"
            bounds = "-8.0, 8.0" if tensor.dtype in FLOATS else bounds
            return f"{dtype}(clamp({self.whole(tensor)}, {bounds}))"
        if self.axes and self.chance():
            return f"{dtype}({self.pick(list(self.axes))})"
        return f"{dtype}({self.draw(st.integers(-6, 6)) / 4})"

    def small_leaf(self) -> str:
        narrow = [t for t in self.tensors if t.dtype in ("i8", "u8")]
        kind = self.pick(("tensor", "axis", "literal"))
        if kind == "tensor" and narrow:
            return f"i32({self.whole(self.pick(narrow))})"
        if kind == "axis" and self.axes:
            return str(self.pick(list(self.axes)))
        return f"i32({self.draw(st.integers(-9, 9))})"

    def small(self, depth: int) -> str:
        """An `i32` of at most four decimal digits or so."""
        one = self.small_leaf()
        if depth == 0:
            return one
        other = self.small_leaf()
        amount = self.draw(st.integers(1, 4))
        form = self.pick(SMALL_FORMS)
        return str(form.format(one, other, amount))

    def integer(self, dtype: str, depth: int) -> str:
        same = [t for t in self.tensors if t.dtype == dtype]
        if same and self.chance():
            return self.whole(self.pick(same))
        if dtype == "i32":
            return self.wide(depth)
        cast = self.pick((dtype, f"sat_{dtype}")) if dtype != "i64" else dtype
        if dtype == "u32" and depth:
            one, other = f"u32({self.small(depth - 1)})", f"u32({self.small(depth - 1)})"
            return str(
                self.pick(
                    (f"({one} * {other})", f"({one} - {other})", f"(~{one} >> 3)", f"({one} | {other})")
                )
            )
        if dtype == "i64" and depth:
            return f"(i64({self.wide(depth)}) * i64({self.small(0)}))"
        exact = self.exact_float("f32", 1) if self.chance() else None
        return f"{cast}({exact or self.wide(depth)})"

    def wide(self, depth: int) -> str:
        if depth and self.chance():
            return f"({self.small(depth - 1)} * {self.small(depth - 1)})"
        return self.small(depth)

    def truth(self, depth: int) -> str:
        options = [t for t in self.tensors if t.dtype == "bool"]
        if options and self.chance():
            return self.whole(self.pick(options))
        sign = self.pick(("<", "<=", ">", ">=", "==", "!="))
        if depth and self.chance():
            joined = f" {self.pick(('and', 'or'))} "
            return f"({self.truth(depth - 1)}{joined}{self.truth(depth - 1)})"
        if depth and self.chance():
            return f"(not {self.truth(depth - 1)})"
        if self.chance():
            left, right = self.exact_float("f32", 1), self.exact_float("f32", 0)
            if left and right:
                return f"({left} {sign} {right})"
        if self.chance():
            return f"({self.draw(st.integers(-2, 2))} <= {self.small(0)} {sign} {self.small(0)})"
        return f"({self.small(depth)} {sign} {self.small(0)})"
