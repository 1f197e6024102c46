"""Reading kernel texts that a person names."""

import sys
from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import read
from edgekernelbench.lang.source import MAX_SOURCE_CHARS

STDIN = "-"

MOST_BYTES = 4 * MAX_SOURCE_CHARS + 4
"""More characters than a text may have, whatever they are in UTF-8."""


def read_text(path: str) -> str:
    """Read a text from a file, or from standard input when the name is `-`.

    Bytes that are no UTF-8 are kept as half surrogates, so that the parser refuses them with a place.
    Of an endless file no more is read than shows that it is too long.

    Raises:
        RecordError: When the file cannot be read.
    """
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(MOST_BYTES).decode("utf-8", "surrogateescape")
        with Path(path).open("rb") as stream:
            return stream.read(MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise RecordError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def shown(path: str) -> str:
    """Name a file as diagnostics do."""
    return "<stdin>" if path == STDIN else path


def parse_sizes(words: list[str]) -> dict[str, int | float | str]:
    """Read `NAME=VALUE` words.

    Raises:
        RecordError: When a word is not of that form.
    """
    sizes: dict[str, int | float | str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (equals and name and value):
            raise RecordError(f"{word!r} is not of the form NAME=VALUE")
        sizes[name] = _number(value)
    return sizes


def _number(value: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def read_kernel(source: str, sizes: list[str]) -> Kernel:
    """Parse a text and bind its capitals.

    Raises:
        SourceError: When the text is wrong.
        RecordError: When a size is not of the form NAME=VALUE, or a capital of a pattern has no value.
    """
    text = read(source)
    given = parse_sizes(sizes)
    missing = [name for name in text.free if name not in given]
    if missing:
        raise left_open(missing)
    return text.bind(given)


def left_open(names: Sequence[str]) -> RecordError:
    """Say that capitals of a pattern have no value."""
    options = " ".join(f"--size {name}=..." for name in names)
    return RecordError(f"the text is a pattern, with {', '.join(names)} left open: give {options}")
