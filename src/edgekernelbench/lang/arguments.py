"""The call that a directive is: names on its left side, word, arguments."""

import ast
import re
from dataclasses import dataclass, field
from keyword import iskeyword

from edgekernelbench.base.span import Span
from edgekernelbench.lang.context import Context, span
from edgekernelbench.lang.numbers import whole
from edgekernelbench.lang.words import NAME, RESERVED

TAKES = {
    "split": ("a loop and the sizes of the inner loops", "a, b = split(s.i, 8)"),
    "fuse": ("two loops or more", "f = fuse(s.i, s.j)"),
    "order": ("loops of one stage, outermost first", "order(s.i, s.k, s.j)"),
    "inline": ("stages", "inline(s)"),
    "precompute": ("stages", "precompute(s)"),
    "compute_at": ("a stage, and a loop of the stage that reads it", "compute_at(s, out.i)"),
    "rfactor": ("one reduction loop", "p = rfactor(k)"),
    "scatter": ("one axis of a stage", "scatter(s.v)"),
    "hoist": ("an axis of a stage of a group, and the size of a block", "o = hoist(s.n, 8)"),
    "parallel": ("loops", "parallel(s.i)"),
    "vectorize": ("loops", "vectorize(s.j)"),
    "unroll": ("loops", "unroll(s.j)"),
    "bind": ("loops, and what they are bound to", 'bind(s.i, "blockIdx.x")'),
    "tensorize": ("the name of an instruction, and loops", 'tensorize("dot4", i, k)'),
    "layout": ("a tensor and a layout", 'layout(t, "a b -> b/4 a b%4")'),
    "place": ("a stage and a scope", 'place(s, "local", align=64)'),
    "cache": ("a tensor, a scope, and at= with a loop", 'cache(t, "shared", at=l)'),
    "accumulate": ("a stage and a scope", 'accumulate(s, "local")'),
    "fold": ("an ordered axis of a stage, and the number of steps to keep", "fold(s.t, 2)"),
    "reuse": ("two stages: the new one, and the one whose storage it takes", "reuse(b, a)"),
}
"""What each directive takes, and how it is written."""


@dataclass(slots=True)
class Arguments:
    """A directive that is being read.

    Attributes:
        word: Its word.
        outs: The names on its left side.
        statement: The whole line.
        call: The call.
        ctx: Constants and diagnostics.
        failed: Whether something was refused.
    """

    word: str
    outs: tuple[ast.expr, ...]
    statement: ast.stmt
    call: ast.Call
    ctx: Context
    failed: bool = field(default=False)

    @property
    def args(self) -> list[ast.expr]:
        """The arguments without a name."""
        return self.call.args

    @property
    def place(self) -> Span:
        """Where the directive stands."""
        return span(self.statement)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where its arguments stand, in the order written."""
        return (*(span(arg) for arg in self.call.args), *(span(keyword) for keyword in self.call.keywords))

    def refuse(self, message: str, node: ast.expr | ast.keyword | ast.stmt, hint: str | None = None) -> None:
        """Refuse an argument [S01]."""
        self.failed = True
        self.ctx.report("S01", message, node, hint)

    def usage(self, hint: str | None = None) -> None:
        """Refuse the arguments as a whole [S01]."""
        what, form = TAKES[self.word]
        self.refuse(f"{self.word} takes {what}", self.call, hint or form)

    def text(self, node: ast.expr) -> str:
        """Give the text of an argument."""
        return self.ctx.text(node)

    def loop(self, node: ast.expr) -> str:
        """Read the name of a loop: `stage.axis`, or a bare name."""
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=ast.Name(id=stage), attr=axis):
                return f"{stage}.{axis}"
            case ast.Subscript(value=ast.Name(id=stage), slice=ast.Name(id=axis)):
                self.refuse("a loop is written stage.axis", node, f"{stage}.{axis}")
            case ast.Constant(value=str(name)) if re.fullmatch(r"\w+(\.\w+)?", name):
                self.refuse("loops and stages are written without quotation marks", node, name)
            case ast.List() | ast.Tuple():
                names = ", ".join(self.text(part) for part in node.elts)
                self.refuse(f"{self.word} takes loops, not a list of them", node, f"{self.word}({names})")
            case ast.Call() | ast.Subscript(value=ast.Call()):
                inner = node.value if isinstance(node, ast.Subscript) else node
                self.refuse("a directive stands on a line of its own, with names for its loops", inner)
            case ast.Constant():
                self.refuse(f"{self.word} takes {TAKES[self.word][0]}, found {self.ctx.quote(node)}", node)
            case _:
                self.refuse(f"expected a loop, found {self.ctx.quote(node)}", node)
        return ""

    def dotted(self, node: ast.expr) -> str:
        """Read a loop that must be written `stage.axis`."""
        name = self.loop(node)
        if name and "." not in name:
            hint = f"s.{name}" if self.word == "hoist" else f"{name}.t"
            self.refuse(f"{self.word} takes an axis of a stage: stage.axis", node, hint)
        return name

    def stage(self, node: ast.expr) -> str:
        """Read a stage or tensor: a bare name."""
        name = self.loop(node)
        if "." in name:
            self.refuse(
                f"{name} is a loop: {self.word} takes {TAKES[self.word][0]}", node, name.partition(".")[0]
            )
        return name

    def size(self, node: ast.expr, what: str, least: int = 1) -> int:
        """Read a whole number."""
        before = len(self.ctx.diagnostics)
        found = whole(node, self.ctx, "S01", what, least)
        if len(self.ctx.diagnostics) > before:
            self.failed = True
        return least if found is None else found

    def string(self, node: ast.expr, what: str) -> str:
        """Read a string."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        text = self.text(node)
        hint = f'"{text}"' if re.fullmatch(r"[\w.]+", text) else None
        self.refuse(f"{what} is a string, found {self.ctx.quote(node)}", node, hint)
        return ""

    def names(self, wanted: int) -> tuple[str, ...] | None:
        """Read the names on the left side [S06, S07, P02].

        Args:
            wanted: How many the directive makes.

        Returns:
            The names, or None.
        """
        found = [self.text(out) for out in self.outs]
        if len(found) != wanted:
            self._refuse_count(found, wanted)
            return None
        for name, out in zip(found, self.outs, strict=True):
            if not isinstance(out, ast.Name) or NAME.match(name) is None:
                lower = name.lower() if NAME.match(name.lower()) else None
                self._report("P02", f"the loop {name[:40]}: names are lower case, without a dot", out, lower)
            elif name in RESERVED:
                self._report("S06", f"{name} is a word of the language: rename the loop", out, f"{name}_")
            elif found.count(name) > 1:
                self._report("S06", f"two loops are named {name}", out)
                break
        return tuple(found)

    def _refuse_count(self, found: list[str], wanted: int) -> None:
        made = {0: "no loops", 1: "one loop"}.get(wanted, f"{wanted} loops")
        call = self.ctx.text(self.call)
        fresh = found + [name for name in self._fresh(wanted) if name not in found]
        names = ", ".join(fresh[:wanted])
        hint = f"{names} = {call}" if wanted else call
        given = "none is named" if not found else f"{len(found)} {'is' if len(found) == 1 else 'are'} named"
        self._report("S07", f"{self.word} makes {made}, {given}", self.statement, hint)

    def _fresh(self, wanted: int) -> list[str]:
        stems = [self.text(arg).rpartition(".")[2] for arg in self.args]
        stems = [stem for stem in stems if re.fullmatch(r"[a-z_]\w*", stem)] or ["l"]
        if self.word == "rfactor":
            return ["part"]
        names = [stems[0] + end for end in ("o", "i", *"abcdefgh")] if wanted > 1 else ["".join(stems)]
        return [f"{name}_" if iskeyword(name) or name in RESERVED else name for name in names]

    def _report(self, code: str, message: str, node: ast.expr | ast.stmt, hint: str | None = None) -> None:
        self.failed = True
        self.ctx.report(code, message, node, hint)

    def keywords(self, *allowed: str) -> dict[str, ast.expr]:
        """Read the arguments with names [S01].

        Args:
            allowed: The names that the directive knows.

        Returns:
            What was given, by name.
        """
        found: dict[str, ast.expr] = {}
        for keyword in self.call.keywords:
            if keyword.arg is None:
                self.refuse("there are no star arguments", keyword)
            elif keyword.arg not in allowed:
                close = self.ctx.nearest(keyword.arg, allowed)
                known = (
                    f"{self.word} has {', '.join(f'{name}=' for name in allowed)}"
                    if allowed
                    else (f"{self.word} has no named arguments")
                )
                hint = f"{close}={self.ctx.text(keyword.value)}" if close else TAKES[self.word][1]
                self.refuse(f"{known}, found {keyword.arg}=", keyword, hint)
            elif keyword.arg in found:
                self.refuse(f"{keyword.arg}= is given twice", keyword)
            else:
                found[keyword.arg] = keyword.value
        return found
