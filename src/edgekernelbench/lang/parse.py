"""From a text to a kernel. The text is parsed, never run.

`read` takes a text apart once; `Text.bind` gives its capitals and knobs numbers, as often as wanted.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Compute
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.blocks import Body, read_memories, read_schedules, sort_statements
from edgekernelbench.lang.compute import read_compute
from edgekernelbench.lang.constants import read_constants
from edgekernelbench.lang.context import Context, Number, span
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.signature import read_params
from edgekernelbench.lang.source import normalise, parse_module
from edgekernelbench.lang.words import DTYPES

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
        given = {name: _value(value) for name, value in (sizes or {}).items()}
        ctx = Context(self.source, given, knobs or {})
        kernel = _lower(self._module, ctx)
        for name in knobs or {}:
            if name not in ctx.knobs:
                ctx.report("P06", f"there is no knob {name}", Span(0, 0, 0, 0), ", ".join(ctx.knobs) or None)
        _raise_if_refused(ctx)
        return kernel


def read(source: str) -> Text:
    """Read a text.

    Args:
        source: Any string.

    Returns:
        The text, with what it leaves open.

    Raises:
        SourceError: With everything that is wrong whatever the open capitals are.
    """
    text, ctx = _survey(source)
    _raise_if_refused(ctx)
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
    text, ctx = _survey(source)
    if text.free or sizes:  # only a binding can tell what is wrong with the values
        return text.bind(sizes)
    _raise_if_refused(ctx)
    return text.bind()


def _survey(source: str) -> tuple[Text, Context]:
    """Read a text with its own constants, capitals that it leaves open allowed."""
    source = normalise(source)
    module = parse_module(source)
    ctx = Context(source, pattern=True)
    kernel = _lower(module, ctx)
    return Text(source, tuple(ctx.free), ctx.knobs, module, None if ctx.free else kernel), ctx


def _value(value: Number | DType | str) -> Number | DType:
    if not isinstance(value, str):
        return value
    if value not in DTYPES:
        raise ValueError(f"{value!r} is no element type")
    return DTYPES[value]


def _lower(module: ast.Module, ctx: Context) -> Kernel:
    function, constants = _function(module, ctx)
    ctx.constants.update(ctx.given)
    body: Body = sort_statements(function.body, ctx)
    read_constants([*constants, *body.constants], ctx)
    scope = Scope()
    params = read_params(function, scope, ctx)
    statements = [*(body.compute or []), *body.stray]
    if statements:
        compute = read_compute(statements, scope, ctx)
    else:
        message = "a kernel has a compute block"
        ctx.report("P05", message, Span(function.lineno, 1, function.lineno, 4), "with compute:")
        compute = Compute((), ())
    schedules = read_schedules(body.schedules, ctx)
    memories = read_memories(body.memories, ctx)
    ctx.layer, ctx.target = Layer.TEXT, None
    return Kernel(function.name, params, compute, schedules, memories, body.doc, _head(function))


def _head(function: ast.FunctionDef) -> Span:
    whole = span(function)
    last = function.body[0].lineno - 1
    return Span(whole.line, whole.column, max(last, whole.line), whole.column)


def _function(module: ast.Module, ctx: Context) -> tuple[ast.FunctionDef, list[ast.Assign | ast.AnnAssign]]:
    """Find the one function of a text, and the constants that stand beside it [P02]."""
    found: ast.FunctionDef | None = None
    constants: list[ast.Assign | ast.AnnAssign] = []
    for statement in module.body:
        match statement:
            case ast.FunctionDef() if found is None:
                found = statement
            case ast.FunctionDef():
                ctx.report("P02", "a text is one function definition, this is another one", statement)
            case ast.Import() | ast.ImportFrom():
                message = "a text is one function definition: nothing is imported"
                ctx.report("P02", message, statement, "leave the line out")
            case ast.Assign() | ast.AnnAssign():
                ctx.report("P02", "constants stand inside the function, above with compute:", statement)
                constants.append(statement)
            case ast.With():
                message = "blocks stand inside the function, indented by four spaces"
                ctx.report("P02", message, statement.items[0].context_expr)
            case _:
                ctx.report(
                    "P02", f"a text is one function definition, found {ctx.quote(statement)}", statement
                )
    if found is None:
        message = "a text is one function definition, there is none"
        ctx.report("P02", message, Span(1, 1, 1, 2), "def name(x: f32[N]):")
        raise _refusal(ctx)
    return found, constants


def _raise_if_refused(ctx: Context) -> None:
    if ctx.diagnostics:
        raise _refusal(ctx)


def _refusal(ctx: Context) -> SourceError:
    ordered = sorted(ctx.diagnostics, key=lambda d: (d.span.line, d.span.column))
    return SourceError(ordered, ctx.source)
