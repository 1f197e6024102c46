"""What the readers of one text share: what is known, and what was found wrong."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.base.names import nearest
from edgekernelbench.base.span import Span
from edgekernelbench.ir.dtype import DType

Number = int | float
Node = ast.expr | ast.stmt | ast.arg | ast.keyword
"""Syntax with a place."""

MAX_QUOTE_CHARS = 60
"""A message quotes no more than this of the text."""

MAX_LINE_CHARS = 300
"""A corrected line is shown up to this length."""

MAX_OPERANDS, MAX_ARGUMENTS = 1024, 256
"""Comparisons, `and`, `or` and calls with more operands, directives with more arguments are refused [P03]."""

MAX_NAME_CHARS = 64
"""Longer names are refused [P03]."""

MAX_DIAGNOSTICS = 100
"""Reading stops when so many complaints were found."""

MAX_GUESSES, MAX_GUESSED = 10, 200
"""How often a text is searched for the name that was probably meant, and how many names are looked at."""

MAX_MESSAGE_CHARS = 400
"""A message is cut here: names in hostile texts are long."""

MAX_HINT_CHARS = 2_000
"""A longer hint would be no help."""

MAX_DEPTH = 100
"""Expressions nested deeper are refused [P03]: what works on trees later may recurse."""


_ATOM = re.compile(r"[\w.]+([(\[][^()\[\]]*[)\]])?|range\(.*")
"""What can replace a piece of an expression without brackets; conditions may follow a range."""


class Enough(Exception):  # noqa: N818 - nothing went wrong in reading
    """So much is wrong with a text that reading on would help nobody."""


@dataclass(slots=True)
class Context:
    """The state of one reading.

    Attributes:
        source: The text, line ends normalised.
        given: Numbers and element types that win over what the text says: a workload's sizes.
        chosen: The value of each knob that is not at its first option.
        pattern: Whether capitals that nobody gives are allowed; the trees are then of no use.
        constants: Constants known so far; None for one that could not be evaluated.
        free: Capitals that nobody gives, in order of appearance.
        knobs: Options of each knob, in order of appearance.
        diagnostics: What was found wrong, in any order.
        layer: The layer that is being read.
        target: The targets of the block that is being read.
        lines: The lines of the text.
        later: Constants that are defined further down.
        guesses: How often the name that was probably meant was searched.
        axes: Names of axes met so far.
        refused_names: Names that were refused, so that they are refused once.
        fixes: For diagnostics by their position, the text that should stand at a place.
        unmade: Loops and stages that refused lines of schedules would have made.
    """

    source: str
    given: Mapping[str, Number | DType] = field(default_factory=dict)
    chosen: Mapping[str, Number] = field(default_factory=dict)
    pattern: bool = False
    constants: dict[str, Number | DType | None] = field(default_factory=dict)
    free: dict[str, None] = field(default_factory=dict)
    knobs: dict[str, tuple[Number, ...]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    layer: Layer = Layer.TEXT
    target: str | None = None
    lines: list[str] = field(default_factory=list)
    later: set[str] = field(default_factory=set)
    guesses: int = 0
    axes: set[str] = field(default_factory=set)
    refused_names: set[str] = field(default_factory=set)
    fixes: dict[int, tuple[Span, str]] = field(default_factory=dict)
    unmade: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.lines = self.source.split("\n")

    def shown(self, name: str) -> str:
        """Give a name as a message can hold it."""
        return name if len(name) <= MAX_QUOTE_CHARS else name[: MAX_QUOTE_CHARS - 4] + "..."

    def nearest(self, name: str, known: Iterable[str]) -> str | None:
        """Find the name that was probably meant, a few times a text: it takes time."""
        if self.guesses >= MAX_GUESSES or len(name) > MAX_NAME_CHARS:
            return None
        self.guesses += 1
        return nearest(name, islice((other for other in known if len(other) <= MAX_NAME_CHARS), MAX_GUESSED))

    def report(self, code: str, message: str, where: Node | Span, hint: str | None = None) -> None:
        """Note what is wrong.

        Args:
            code: The code, such as `"C14"`.
            message: What was expected and what was found.
            where: The piece of text.
            hint: The corrected line, if it can be made.
        """
        place = where if isinstance(where, Span) else span(where)
        if len(message) > MAX_MESSAGE_CHARS:
            message = message[:MAX_MESSAGE_CHARS] + " ..."
        if hint is not None and len(hint) > MAX_HINT_CHARS:
            hint = None
        self.diagnostics.append(Diagnostic(code, message, place, self.layer, hint, target=self.target))
        if len(self.diagnostics) >= MAX_DIAGNOSTICS:
            raise Enough

    def fix(self, code: str, message: str, node: Node, replacement: str | None) -> None:
        """Note what is wrong with a piece of a statement, and what should stand in its place.

        Args:
            code: The code.
            message: What was expected and what was found.
            node: The piece.
            replacement: Its corrected text; None when it cannot be made.
        """
        if replacement is not None:
            self.fixes[len(self.diagnostics)] = span(node), replacement
        self.report(code, message, node, replacement)

    def show_fixed_line(self, statement: Node, first: int) -> None:
        """Where one piece was wrong in a statement, let the hint be the whole corrected line.

        Args:
            statement: The statement that was read.
            first: How many diagnostics there were before.
        """
        if len(self.diagnostics) != first + 1 or first not in self.fixes:
            return
        place, replacement = self.fixes[first]
        whole = span(statement)
        before = self.slice(Span(whole.line, whole.column, place.line, place.column)).rstrip()
        after = self.slice(Span(place.end_line, place.end_column, whole.end_line, whole.end_column)).lstrip()
        alone = before[-1:] in ("", "(", "[", ",", "=", ":") and after[:1] in ("", ")", "]", ",", "=")
        if not alone and not _ATOM.fullmatch(replacement):
            replacement = f"({replacement})"
        line = self.replaced(whole, [(place, replacement)])
        if len(line) <= MAX_LINE_CHARS:
            self.diagnostics[first] = replace(self.diagnostics[first], hint=line)

    def replaced(self, place: Span, changes: Sequence[tuple[Span, str]]) -> str:
        """Give the text at a place on one line, with some of its pieces replaced.

        Args:
            place: The text.
            changes: Pieces of it, none in another, with what should stand there.

        Returns:
            One line.
        """
        text, line, column = "", place.line, place.column
        for piece, new in sorted(changes, key=lambda change: (change[0].line, change[0].column)):
            text += self.slice(Span(line, column, piece.line, piece.column)) + new
            line, column = piece.end_line, piece.end_column
        return one_line(text + self.slice(Span(line, column, place.end_line, place.end_column)))

    def text(self, node: Node | str) -> str:
        """Give the text of a node on one line; what is a text already stays as it is."""
        if isinstance(node, str):
            return node
        return one_line(self.slice(span(node)))

    def slice(self, place: Span) -> str:
        """Give the text at a place as it stands."""
        lines = self.lines[place.line - 1 : place.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: place.end_column - 1]
        lines[0] = lines[0][place.column - 1 :]
        return "\n".join(lines)

    def ordered(self) -> tuple[Diagnostic, ...]:
        """Give what was found wrong, in the order of the text."""
        return tuple(sorted(self.diagnostics, key=lambda found: (found.span.line, found.span.column)))

    def slice_between(self, first: Node, second: Node) -> str:
        """Give the text between two nodes."""
        a, b = span(first), span(second)
        return self.slice(Span(a.end_line, a.end_column, b.line, b.column))

    def quote(self, node: Node) -> str:
        """Give the text of a node on one line, cut to what a message can hold."""
        text = self.text(node)
        return text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 4] + " ..."


def span(node: Node) -> Span:
    """Give the place of a node; in ASCII text the byte offsets of `ast` are characters."""
    end_line, end_column = node.end_lineno, node.end_col_offset
    if end_line is None or end_column is None:  # `ast.parse` fills both; the types do not say so
        return Span(node.lineno, node.col_offset + 1, node.lineno, node.col_offset + 2)
    return Span(node.lineno, node.col_offset + 1, end_line, end_column + 1)


def one_line(text: str) -> str:
    """Put text that was broken over lines back on one, without its comments."""
    if "\n" not in text:
        return text
    lines = (re.sub(r"#.*", "", line).strip() for line in text.split("\n"))
    joined = " ".join(line for line in lines if line)
    return re.sub(r"([(\[]) | (?=[)\]])", r"\1", joined)
