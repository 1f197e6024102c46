"""New names for what a text calls things, the same for every run of a seed, and texts that use them."""

import io
import re
import tokenize
from collections.abc import Collection, Iterator, Mapping

from edgekernelbench.ir.compute import placed_stages, tables
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.workloads.stream import Stream

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"

ARTICLES = frozenset({"a", "i"})
"""Names that are words of every sentence: in prose they are left alone unless a verb follows."""

VERB = r"(?= (?:is|are|has|have|holds?)\b|,)"


def draw_names(kernel: Kernel, taken: Collection[str], stream: Stream) -> dict[str, str]:
    """Draw a name for the function, every tensor and every axis.

    Args:
        kernel: The kernel with the names of the catalogue.
        taken: Words that no new name may be.
        stream: Random numbers.

    Returns:
        New names by old ones: of four letters, those of axes of two, in syllables that mean nothing.
    """
    used = {*taken, *_tensors(kernel), *_axes(kernel)}
    names: dict[str, str] = {}
    for old in dict.fromkeys((kernel.name, *_tensors(kernel))):
        names[old] = _fresh(2, used, stream)
    for old in dict.fromkeys(_axes(kernel)):
        names[old] = _fresh(1, used, stream)
    return names


def _fresh(syllables: int, used: set[str], stream: Stream) -> str:
    for _ in range(200):
        places = stream.below(len(CONSONANTS) * len(VOWELS), (syllables,))
        word = "".join(CONSONANTS[p // len(VOWELS)] + VOWELS[p % len(VOWELS)] for p in places.tolist())
        if word not in used:
            used.add(word)
            return word
    return _fresh(syllables + 1, used, stream)  # as many axes as there are syllables: a longer name


def _tensors(kernel: Kernel) -> Iterator[str]:
    yield from (param.name for param in kernel.params)
    yield from (table.name for table in tables(kernel.compute))
    yield from (placed.stage.name for placed in placed_stages(kernel.compute))


def _axes(kernel: Kernel) -> Iterator[str]:
    for placed in placed_stages(kernel.compute):
        yield from (*placed.ordered, *placed.stage.axes)
        if isinstance(placed.stage.value, Reduction):
            yield from (over.axis for over in placed.stage.value.over)


def words_of(program: str) -> set[str]:
    """List the names that a program uses, builtins and attributes among them."""
    return {token.string for token in _tokens(program) if token.type == tokenize.NAME}


def reword_program(program: str, names: Mapping[str, str]) -> str:
    """Rename a function and its parameters in a Python program.

    Attributes and keywords of calls keep their names, and so do words in strings and comments.

    Args:
        program: The text of a file.
        names: New names by old ones.
    """
    lines = program.splitlines(keepends=True)
    tokens = list(_tokens(program))
    depth, before = 0, ""
    found: list[tuple[int, int, str, str]] = []
    for token, after in zip(tokens, [*(t.string for t in tokens[1:]), ""], strict=True):
        depth += (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        is_keyword = depth > 0 and after == "=" and before in ("(", ",")
        if token.type == tokenize.NAME and token.string in names and before != "." and not is_keyword:
            found.append((*token.start, token.string, names[token.string]))
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.string
    for line, column, old, new in reversed(found):
        text = lines[line - 1]
        lines[line - 1] = text[:column] + new + text[column + len(old) :]
    return "".join(lines)


def _tokens(program: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(program).readline)


def reword_prose(prose: str, names: Mapping[str, str]) -> str:
    """Rename what a docstring speaks of: whole words that are names."""
    if not names:
        return prose
    choices = "|".join(
        rf"{re.escape(name)}{VERB if name in ARTICLES else ''}"
        for name in sorted(names, key=len, reverse=True)
    )
    return re.sub(rf"(?<![\w'-])(?:{choices})(?![\w'-])", lambda found: names[found[0]], prose)
