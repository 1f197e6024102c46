"""Texts of strangers on a terminal: nothing in them may command it, or change in which order it is read."""

from unicodedata import category

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of controls, formats (directions, joiners, tags), surrogates, what is not assigned, and
breaks of lines that are none in a file."""

KEPT = frozenset("\n\t")


def visible(text: str) -> str:
    r"""Show what would act instead of being read as an escape, such as `\x1b` or `\u202e`.

    Args:
        text: Any text.

    Returns:
        The same with everything in it visible; line breaks and tabs stay.
    """
    return "".join(_escape(c) if _acts(c) else c for c in text)


def visible_json(text: str) -> str:
    """The same for JSON text, where the escapes are JSON's own, so that it still means the same.

    Args:
        text: JSON.

    Returns:
        JSON of the same value.
    """
    return "".join(_json_escape(c) if _acts(c) else c for c in text)


def _acts(character: str) -> bool:
    return not " " <= character <= "~" and character not in KEPT and category(character) in HIDDEN


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
