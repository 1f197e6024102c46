"""Texts from outside, made harmless to look at.

Kernel texts, replies, names and messages are written by models and by strangers. Escaping keeps them from
being markup; this keeps them from looking like what they are not: controls that move the cursor of a
terminal, marks that turn the direction of writing, characters of no width.
"""

import re
import unicodedata

_KEPT = "\n\t"
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""General categories of Unicode that have no shape of their own: controls, formats (marks of direction are
among them), private use, half surrogates, unassigned, separators of lines and of paragraphs."""

_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")

MOST_CHARS = 200_000
"""A text is cut here: what a page shows is read by people."""


def shown(text: str, most: int = MOST_CHARS) -> str:
    """Make every character of a text visible.

    Args:
        text: Any text, half surrogates included.
        most: How many characters are kept; the rest is counted.

    Returns:
        The text, line breaks and tabs kept, characters without a shape as `⟨U+202E⟩`.
    """
    kept = text if len(text) <= most else f"{text[:most]}\n⟨{len(text) - most} more characters⟩"
    if _PLAIN.fullmatch(kept):
        return kept
    return "".join(_visible(char) for char in kept)


def harmless(value: object) -> object:
    """Make every text in plain values visible, keys of mappings too.

    Args:
        value: Mappings, lists and tuples of them, texts, numbers, None.
    """
    match value:
        case str():
            return shown(value)
        case dict():
            return {shown(str(name)): harmless(part) for name, part in value.items()}
        case list() | tuple():
            return [harmless(part) for part in value]
        case _:
            return value


def _visible(char: str) -> str:
    if char in _KEPT or unicodedata.category(char) not in _HIDDEN:
        return char
    return f"⟨U+{ord(char):04X}⟩"
