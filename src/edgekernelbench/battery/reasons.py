"""Why some mistakes are none: the list that a person wrote, a reason an entry."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from edgekernelbench.base.errors import CatalogueError

FIELDS = ("pattern", "stage", "change", "reason")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a mistake changes nothing that a kernel promises.

    Attributes:
        pattern: Id of a pattern.
        stage: The stage that is changed; empty for false answers.
        change: Words that the description of the change has.
        reason: Why.
    """

    pattern: str
    stage: str
    change: str
    reason: str


@cache
def load_reasons() -> tuple[Reason, ...]:
    """Read the list.

    Returns:
        Its entries.

    Raises:
        CatalogueError: When an entry lacks a field or has another one.
    """
    text = files("edgekernelbench.battery").joinpath("data/reasons.toml").read_text(encoding="utf-8")
    found = []
    for entry in tomllib.loads(text).get("equivalent", []):
        if sorted(entry) != sorted(FIELDS):
            wanted = ", ".join(FIELDS)
            raise CatalogueError(f"reasons.toml: expected {wanted} in every entry, found {', '.join(entry)}")
        found.append(Reason(**entry))
    return tuple(found)


def reason_for(pattern: str, stage: str, change: str) -> str | None:
    """Find why a mistake is none.

    Args:
        pattern: Id of the pattern.
        stage: The changed stage.
        change: The description of the change.

    Returns:
        The reason; None when nobody gave one.
    """
    for entry in load_reasons():
        if (entry.pattern, entry.stage) == (pattern, stage) and entry.change in change:
            return entry.reason
    return None
