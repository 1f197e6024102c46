"""What a C text may hold before any compiler reads it, and what it may hold after its macros are gone.

Two things must not happen while a stranger's C is built: that the compiler reads a file of ours (`#include`,
`#embed`, `.incbin`), and that code is placed where something runs or binds it before the sandbox is closed
(constructors, resolvers, sections, assembler). What a text does once it runs is nothing that a reader could
decide; the process that it runs in bounds that.
"""

import re
from collections.abc import Iterator

from edgekernelbench.base.diagnostics import Diagnostic, Severity
from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.compiler.control.prototype import HEADER

MAX_CHARS = 64 * 1024
"""Longer texts are refused unread, as texts of our own language are."""

INCLUDES = (
    "math.h", "stdint.h", "stddef.h", "string.h", "stdlib.h", "stdbool.h", "float.h", "limits.h", "assert.h",
    "stdio.h", "omp.h", "immintrin.h", "arm_neon.h",
)  # fmt: skip
"""Headers that a text may include: what a person includes by habit. Which functions may be called is decided
on the object, so that a header gives nothing away; intrinsics are how fast C is written."""

ATTRIBUTES = frozenset(
    {
        *("aligned", "always_inline", "assume_aligned", "cold", "const", "flatten", "hot", "may_alias"),
        *("noinline", "nonnull", "packed", "pure", "returns_nonnull", "unused", "vector_size", "fallthrough"),
    }
)
PRAGMAS = re.compile(r"omp\b|STDC\b|GCC\s+(ivdep|unroll)\b|once\b")
DIRECTIVES = frozenset(
    ("include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "pragma", "")
)
WORDS = re.compile(r"\b(__asm__|__asm|asm)\b")
EXISTENCE = re.compile(r"\b__has_(include|include_next|embed)\b")
RAW = re.compile(r'\b(?:u8|[uUL])?R"')
TRIGRAPH = re.compile(r"\?\?[=/'()!<>\-]")
DIGRAPH = re.compile(r"<:|<%|%:")
DIRECTIVE = re.compile(r"^[ \t\v\f]*#[ \t]*([A-Za-z_]*)(.*)$")
INCLUDE = re.compile(r'^\s*(?:<([^>]*)>|"([^"]*)")\s*$')
BLANK = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*(?:"|$)|'(?:\\.|[^'\\\n])*(?:'|$)""",
    re.DOTALL | re.MULTILINE,
)
MARKER = re.compile(r'^# (\d+) "((?:\\.|[^"\\])*)"')


def screen_text(text: str) -> tuple[Diagnostic, ...]:
    """Look at a C text before any compiler does.

    Args:
        text: The text.

    Returns:
        Every complaint, in order; nothing where a compiler may read it.
    """
    if len(text) > MAX_CHARS:
        return (_found("X02", f"the text is longer than {MAX_CHARS} characters", NOWHERE),)
    return tuple(_problems(text))


def _problems(text: str) -> Iterator[Diagnostic]:
    for pattern, what in ((RAW, "a raw string"), (TRIGRAPH, "a trigraph"), (DIGRAPH, "a digraph")):
        found = pattern.search(text)
        if found:
            yield _found(
                "X03", f"{what} hides what a line says: write it plainly", _span(text, found.start())
            )
    odd = next((n for n, c in enumerate(text) if ord(c) < 32 and c not in "\t\n"), None)
    if odd is not None:
        yield _found("X03", "expected printable characters, found a control character", _span(text, odd))
    # Comments and strings go, lines stay where they are; joined lines first, as a compiler does it.
    joined = re.sub(r"\\[ \t]*\n", lambda _: "\a", text)
    plain = _blanked(joined)
    found = EXISTENCE.search(plain)
    if found:
        yield _found("X02", f"{found.group()} asks after files", _span(text, found.start()))
    at = 0
    for whole, line in zip(joined.split("\n"), plain.split("\n"), strict=True):
        yield from _directive(line.replace("\a", " "), whole.replace("\a", " "), _span(text, at))
        at += len(whole) + 1 + whole.count("\a")


def _blanked(text: str) -> str:
    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found.group()) if found.group()[0] == "/" else found.group()

    return BLANK.sub(blank, text)


def _directive(line: str, whole: str, span: Span) -> Iterator[Diagnostic]:
    found = DIRECTIVE.match(line)
    if not found:
        return
    name, rest = found.groups()
    if name not in DIRECTIVES or (not name and rest.strip()):
        yield _found("X02", f"expected a directive of {_listed(DIRECTIVES - {''})}, found #{name}", span)
    elif name == "include":
        wanted = INCLUDE.match(rest)
        asked = (wanted[1] or wanted[2]) if wanted else whole.strip()
        if wanted is None or (asked not in INCLUDES and asked != HEADER):
            hint = "what is not on the list cannot be called either; leave the line out"
            yield _found("X02", f"expected a header of {', '.join(INCLUDES)}, found {asked[:80]}", span, hint)
    elif name == "pragma" and not PRAGMAS.match(rest.strip()):
        yield _found(
            "X03", f"expected a pragma omp, STDC, GCC ivdep or GCC unroll, found {rest.strip()[:80]}", span
        )


def screen_expanded(text: str, source: str) -> tuple[Diagnostic, ...]:
    """Look at what the preprocessor made of a text, where macros hide nothing any more.

    Args:
        text: The preprocessed text, with the line marks of GCC and Clang.
        source: Name of the stranger's file; what comes from headers is the system's.

    Returns:
        Every complaint, in order.
    """
    return tuple(_expanded(_own_lines(text, source)))


def _own_lines(text: str, source: str) -> list[tuple[int, str]]:
    """Pick the lines that come from one file, with their numbers there; strings are emptied."""
    own, number, ours = [], 0, False
    for line in text.split("\n"):
        mark = MARKER.match(line)
        if mark:
            number, ours = int(mark[1]), mark[2].endswith(source)
            continue
        if ours:
            own.append((number, re.sub(r'"(?:\\.|[^"\\])*"', '""', line)))
        number += 1
    return own


def _expanded(lines: list[tuple[int, str]]) -> Iterator[Diagnostic]:
    for number, line in lines:
        found = WORDS.search(line)
        if found:
            yield _found("X03", f"expected C, found assembler: {found.group()}", _at(number))
        pragma = re.match(r"\s*#\s*pragma\s+(.*)", line)
        if pragma and not PRAGMAS.match(pragma[1]):
            yield _found("X03", f"expected a pragma that is listed, found {pragma[1][:80]}", _at(number))
        if re.search(r"\[\s*\[", line):
            yield _found("X03", "expected __attribute__, found an attribute in double brackets", _at(number))
    whole = "\n".join(line for _, line in lines)
    for found in re.finditer(r"\b__attribute(?:__)?\b", whole):
        names = _attribute_names(whole[found.end() :])
        bad = sorted(name for name in names if name.strip("_") not in ATTRIBUTES)
        if bad:
            number = lines[whole.count("\n", 0, found.start())][0]
            message = f"expected attributes of {_listed(ATTRIBUTES)}, found {', '.join(bad)[:80]}"
            yield _found("X03", message, _at(number))


def _attribute_names(rest: str) -> list[str]:
    """Read the names inside `((...))`: identifiers at the second depth of brackets, after `((` or a comma."""
    names: list[str] = []
    depth, expect = 0, False
    for word in re.findall(r"[A-Za-z_]\w*|\d\w*|\S", rest):
        if word == "(":
            depth += 1
            expect = depth == 2
        elif word == ")":
            depth -= 1
            if depth <= 0:
                break
        elif depth == 0:
            return [*names, word]  # no brackets at all: not of this form
        elif depth <= 2 and word == ",":
            expect = True
        elif expect:
            names.append(word)
            expect = False
    return names


def _found(code: str, message: str, span: Span, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, message, span, hint=hint, severity=Severity.ERROR)


def _span(text: str, at: int) -> Span:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return Span(line, column, line, column + 1)


def _at(line: int) -> Span:
    return Span(line, 1, line, 2)


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
