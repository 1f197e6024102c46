"""What a text is written in. Scores of texts in different languages are never in one column."""

from typing import Literal

from edgekernelbench.records.schema import Record

Language = Literal["kernel", "c"]
"""Our language, or plain C: the control, which tells not knowing the language from not knowing the kernel."""

LANGUAGES: tuple[Language, ...] = ("kernel", "c")

TITLES: dict[Language, str] = {"kernel": "the kernel language", "c": "plain C"}


class ControlRecord(Record):
    """How a text in plain C was built."""

    language: Language
    """What it is written in."""
    compiler: str
    """The C compiler, in its own words."""
    flags: tuple[str, ...]
    """What it was called with."""
