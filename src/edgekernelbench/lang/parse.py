"""From a text to a kernel. The text is parsed, never run.

`read` takes a text apart once; `Text.bind` gives its capitals and knobs numbers, as often as wanted.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.compute import Compute
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.blocks import read_memories, read_schedules, sort_statements
from edgekernelbench.lang.compute import read_compute
from edgekernelbench.lang.constants import ConstantLine, read_constants
from edgekernelbench.lang.context import Context, Enough, Number, span
from edgekernelbench.lang.module import find_function
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.signature import read_params
from edgekernelbench.lang.source import normalise, parse_module

Sizes = Mapping[str, Number | DType | str]
"""Values of capitals; an element type may be given by its name."""


@dataclass(frozen=True, slots=True)
class Text:
    """A kernel text that was read without complaint.

    Attributes:
        source: The text, line ends normalised.
        free: Capitals that the text uses and does not define, in order of appearance; a text with any
            is a pattern.
        knobs: Options of each knob, the first one first. A knob that is the whole value of a constant has
            the constant's name, others are `choose1`, `choose2`, ... by their number among all knobs; options
            that hang on a free capital are left out until it is bound.
    """

    source: str
    free: tuple[str, ...]
    knobs: Mapping[str, tuple[Number, ...]]
    _module: ast.Module = field(repr=False, compare=False)
    _kernel: Kernel | None = field(repr=False, compare=False)

    def bind(self, sizes: Sizes | None = None, knobs: Mapping[str, Number] | None = None) -> Kernel:
        """Give every capital and every knob a value.

        Args:
            sizes: Values of free capitals; those of constants that the text defines are overridden.
            knobs: Values of knobs; those left out take their first option.

        Returns:
            The kernel: numbers only.

        Raises:
            SourceError: When a capital has no value, or the values do not fit.
        """
        if not sizes and not knobs and self._kernel is not None:
            return self._kernel
        ctx = Context(self.source, _given(sizes), knobs or {})
        return _accepted(_lower(self._module, ctx), ctx)


@dataclass(frozen=True, slots=True)
class Survey:
    """What could be made of a text that may be wrong.

    Attributes:
        kernel: The kernel when the signature and the compute layer were read without complaint, so that they
            can be verified too; directives that were refused are left out. Else None.
        diagnostics: Everything that is wrong, in source order; empty when the text is right.
        open: Capitals of a pattern that have no value; then there is no kernel, though nothing may be wrong.
        unmade: Loops and stages that the refused lines of schedules would have made: that they are missing
            is no fault of the lines that name them.
    """

    kernel: Kernel | None
    diagnostics: tuple[Diagnostic, ...]
    open: tuple[str, ...] = ()
    unmade: frozenset[str] = frozenset()


def read(source: str) -> Text:
    """Read a text.

    Args:
        source: Any string.

    Returns:
        The text, with what it leaves open.

    Raises:
        SourceError: With everything that is wrong whatever the open capitals are.
    """
    text, kernel, ctx = _read(source)
    _accepted(kernel, ctx)
    return text


def parse(source: str, sizes: Sizes | None = None) -> Kernel:
    """Read a text and take the first option of each knob.

    Args:
        source: Any string.
        sizes: Values of capitals.

    Returns:
        The kernel.

    Raises:
        SourceError: With everything that is wrong.
    """
    text, kernel, ctx = _read(source)
    if text.free or sizes:  # only a binding can tell what is wrong with the values
        return text.bind(sizes)
    return _accepted(kernel, ctx)


def survey(source: str, sizes: Sizes | None = None) -> Survey:
    """Read a text as far as it goes, so that what is wrong in one layer does not hide what is in another.

    Args:
        source: Any string.
        sizes: Values of capitals.

    Returns:
        What could be read, and what is wrong.
    """
    try:
        text, kernel, ctx = _read(source)
        missing = tuple(name for name in text.free if name not in (sizes or {}))
        if missing:
            return Survey(None, ctx.ordered(), missing)
        if text.free or sizes:
            ctx = Context(text.source, _given(sizes))
            kernel = _lower(text._module, ctx)
    except SourceError as error:
        return Survey(None, error.diagnostics)
    broken = any(found.layer in (Layer.TEXT, Layer.COMPUTE) for found in ctx.diagnostics)
    return Survey(None if broken else kernel, ctx.ordered(), unmade=frozenset(ctx.unmade))


def _read(source: str) -> tuple[Text, Kernel, Context]:
    """Read a text with its own constants; capitals that it leaves open are allowed."""
    source = normalise(source)
    module = parse_module(source)
    ctx = Context(source, pattern=True)
    kernel = _lower(module, ctx)
    return Text(source, tuple(ctx.free), ctx.knobs, module, None if ctx.free else kernel), kernel, ctx


def _given(sizes: Sizes | None) -> dict[str, Number | DType]:
    return {name: DType(value) if isinstance(value, str) else value for name, value in (sizes or {}).items()}


def _lower(module: ast.Module, ctx: Context) -> Kernel:
    function, constants = find_function(module, ctx)
    try:
        return _lower_function(function, constants, ctx)
    except Enough:
        raise _refusal(ctx) from None


def _lower_function(function: ast.FunctionDef, constants: list[ConstantLine], ctx: Context) -> Kernel:
    ctx.constants.update(ctx.given)
    body = sort_statements(function.body, ctx)
    read_constants([*constants, *body.constants], ctx)
    scope = Scope()
    params = read_params(function, scope, ctx)
    statements = [*(body.compute or []), *body.stray]
    if statements:
        compute = read_compute(statements, scope, ctx)
    else:
        place = Span(function.lineno, 1, function.lineno, 4)
        ctx.report("P05", "a kernel has a compute block", place, "with compute:")
        compute = Compute((), ())
    schedules = read_schedules(body.schedules, ctx)
    memories = read_memories(body.memories, ctx)
    ctx.layer, ctx.target = Layer.TEXT, None
    for name in ctx.chosen:
        if name not in ctx.knobs:
            ctx.report("P06", f"there is no knob {name}", NOWHERE, ", ".join(ctx.knobs) or None)
    return Kernel(function.name, params, compute, schedules, memories, body.doc, _head(function))


def _head(function: ast.FunctionDef) -> Span:
    whole = span(function)
    return Span(whole.line, whole.column, whole.line, whole.column + len("def"))


def _accepted(kernel: Kernel, ctx: Context) -> Kernel:
    if ctx.diagnostics:
        raise _refusal(ctx)
    return kernel


def _refusal(ctx: Context) -> SourceError:
    return SourceError(ctx.ordered(), ctx.source)
