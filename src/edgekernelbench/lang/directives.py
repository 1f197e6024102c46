"""Lines of schedule and memory blocks."""

import ast

from edgekernelbench.base.span import Span
from edgekernelbench.ir.memory import MemoryDirective
from edgekernelbench.ir.schedule import ScheduleDirective
from edgekernelbench.lang import memory, schedule
from edgekernelbench.lang.arguments import Arguments
from edgekernelbench.lang.context import MAX_ARGUMENTS, Context, span
from edgekernelbench.lang.spellings import DIRECTIVES
from edgekernelbench.lang.words import MEMORY_WORDS, SCHEDULE_WORDS

FORM = "a line of this block is a directive, such as"


def read_schedule_directive(statement: ast.stmt, ctx: Context) -> ScheduleDirective | None:
    """Read one line of a schedule block.

    Args:
        statement: The line.
        ctx: Constants and diagnostics.

    Returns:
        The directive, or None.
    """
    found = _arguments(statement, ctx, "parallel(s.i)")
    if found is None:
        return None
    reader = schedule.READERS.get(found.word)
    if reader is None:
        _refuse_word(found, ctx)
        return None
    return reader(found)


def read_memory_directive(statement: ast.stmt, ctx: Context) -> MemoryDirective | None:
    """Read one line of a memory block.

    Args:
        statement: The line.
        ctx: Constants and diagnostics.

    Returns:
        The directive, or None.
    """
    found = _arguments(statement, ctx, 'place(s, "local")')
    if found is None:
        return None
    reader = memory.READERS.get(found.word)
    if reader is None:
        _refuse_word(found, ctx)
        return None
    if found.outs:
        found.names(0)
    return reader(found)


def _arguments(statement: ast.stmt, ctx: Context, example: str) -> Arguments | None:
    """Take a line apart [P05]."""
    outs: tuple[ast.expr, ...] = ()
    match statement:
        case ast.Expr(value=ast.Call() as call):
            pass
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
            outs = tuple(names)
        case ast.Assign(targets=[name], value=ast.Call() as call):
            outs = (name,)
        case ast.Expr(value=ast.Constant(value=str())):
            ctx.report("P05", "a comment starts with #", statement)
            return None
        case ast.With():
            ctx.report("P05", "blocks do not nest", statement)
            return None
        case ast.AnnAssign():
            ctx.report("P05", "stages stand in the compute block", statement)
            return None
        case ast.For() | ast.While() | ast.If():
            message = f"{FORM} {example}; there are no loops and conditions among them"
            ctx.report("P05", message, statement)
            return None
        case _:
            ctx.report("P05", f"{FORM} {example}, found {ctx.quote(statement)}", statement)
            return None
    if max(len(call.args) + len(call.keywords), len(outs)) > MAX_ARGUMENTS:
        ctx.report("P03", f"a directive has more than {MAX_ARGUMENTS} parts", statement)
        return None
    if not isinstance(call.func, ast.Name):
        _refuse_method(call, outs, ctx)
        return None
    return Arguments(call.func.id, outs, statement, call, ctx)


def _refuse_method(call: ast.Call, outs: tuple[ast.expr, ...], ctx: Context) -> None:
    """Answer `sch.split(i, 8)`, `s[out].vectorize(j)` and `out.parallel(i)`."""
    hint = None
    word = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if word in (*SCHEDULE_WORDS, *MEMORY_WORDS):
        arguments = [*(ctx.text(arg) for arg in call.args), *(ctx.text(keyword) for keyword in call.keywords)]
        left = f"{', '.join(ctx.text(out) for out in outs)} = " if outs else ""
        hint = f"{left}{word}({', '.join(arguments)})"
    elif word in DIRECTIVES:
        hint = DIRECTIVES[word]
    ctx.report("P05", f"directives are not methods: {ctx.quote(call.func)}", call.func, hint)


def _refuse_word(found: Arguments, ctx: Context) -> None:
    word = found.word
    if word in SCHEDULE_WORDS or word in MEMORY_WORDS:
        layer = "schedule" if word in SCHEDULE_WORDS else "memory"
        ctx.report("P05", f"{word} belongs into a {layer} block", found.call.func)
        return
    said = DIRECTIVES.get(word) or DIRECTIVES.get(word.lower())
    if said is None:
        close = ctx.nearest(word, (*SCHEDULE_WORDS, *MEMORY_WORDS))
        hint = ctx.replaced(found.place, [(_word_span(found), close)]) if close else None
        ctx.report("P05", f"{word} is not a directive", found.call.func, hint)
        return
    ctx.report("P05", f"{word} is not a directive: {said}", found.call.func, _respelt(found))


def _word_span(found: Arguments) -> Span:
    return span(found.call.func)


def _respelt(found: Arguments) -> str | None:
    """Write the line with the word that is meant, where the arguments are the same."""
    same = {
        "reorder": "order", "permute": "order", "swap": "order", "compute_inline": "inline",
        "collapse": "fuse",
        "merge": "fuse", "parallelize": "parallel", "vectorise": "vectorize", "simd": "vectorize",
        "vector": "vectorize", "unroll_loop": "unroll", "strip_mine": "split",
    }  # fmt: skip
    word = same.get(found.word)
    return found.ctx.replaced(found.place, [(_word_span(found), word)]) if word else None
