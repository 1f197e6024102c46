"""Nearest-name suggestions."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that was probably meant.

    Args:
        name: What was written.
        known: What exists.

    Returns:
        The closest name, or None when none is close.
    """
    found = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
