"""From a text to a kernel. The text is parsed, never run.

`read` takes a text apart once; `Text.bind` gives its capitals and knobs numbers, as often as wanted.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Compute
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.blocks import Body, read_memories, read_schedules, split_body
from edgekernelbench.lang.compute import read_compute
from edgekernelbench.lang.constants import read_constants
from edgekernelbench.lang.context import Context, Number, span
from edgekernelbench.lang.scope import Scope
from edgekernelbench.lang.signature import read_params
from edgekernelbench.lang.source import normalise, parse_module
from edgekernelbench.lang.words import DTYPES

Sizes = Mapping[str, Number | DType | str]
"""Values of capitals; an element type may be given by name."""


@dataclass(frozen=True, slots=True)
class Text:
    """A kernel text that was read without complaint.

    Attributes:
        source: The text, line ends normalised.
        free: Capitals that the text uses and does not define, in order of appearance; a text with any
            is a pattern.
        knobs: Options of each knob, the first one first. A knob that is the whole value of a constant has its
            name, others are `choose1`, `choose2`, …; empty where options hang on a free capital.
    """

    source: str
    free: tuple[str, ...]
    knobs: Mapping[str, tuple[Number, ...]]
    _tree: ast.FunctionDef = field(repr=False, compare=False)
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
        given = {name: DTYPES.get(v, 0) if isinstance(v, str) else v for name, v in (sizes or {}).items()}
        ctx = Context(self.source, given, knobs or {})
        kernel = _lower(self._tree, ctx)
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
    source = normalise(source)
    module = parse_module(source)
    ctx = Context(source, pattern=True)
    function = _function(module, ctx)
    kernel = _lower(function, ctx)
    _raise_if_refused(ctx)
    return Text(source, tuple(ctx.free), ctx.knobs, function, None if ctx.free else kernel)


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
    return read(source).bind(sizes)


def _function(module: ast.Module, ctx: Context) -> ast.FunctionDef:
    match module.body:
        case [ast.FunctionDef() as function]:
            return function
        case _:
            ctx.report("P02", "a text is one function definition", module.body[0])
            raise SourceError(ctx.diagnostics, ctx.source)


def _lower(function: ast.FunctionDef, ctx: Context) -> Kernel:
    ctx.constants.update(ctx.given)
    body: Body = split_body(function, ctx)
    read_constants(body.constants, ctx)
    scope = Scope()
    params = read_params(function, scope, ctx)
    compute = Compute((), ()) if body.compute is None else read_compute(body.compute.body, scope, ctx)
    schedules = read_schedules(body.schedules, ctx)
    memories = read_memories(body.memories, ctx)
    ctx.layer, ctx.target = Layer.TEXT, None
    return Kernel(function.name, params, compute, schedules, memories, body.doc, span(function))


def _raise_if_refused(ctx: Context) -> None:
    if ctx.diagnostics:
        ordered = sorted(ctx.diagnostics, key=lambda d: (d.span.line, d.span.column))
        raise SourceError(ordered, ctx.source)
