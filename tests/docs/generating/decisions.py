"""`decisions/index.md`: all decisions, with their titles."""

import re
from pathlib import Path

HEAD = """\
# Decisions

<!-- Made by tests/docs/test_generated.py from the files beside it: run `make golden` after a change. -->

What was decided, why, what follows from it, and which test fails if someone forgets.
A decision is never deleted: one that no longer holds says which one took its place.

| no. | decision | status |
|---|---|---|
"""


def decisions_page(folder: Path) -> str:
    """Write the page.

    Args:
        folder: Where the decisions are.
    """
    rows = []
    numbers = [path.name[:4] for path in folder.glob("[0-9]*.md")]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        raise ValueError(f"two decisions have the number {', '.join(twice)}: take the next free one")
    for path in sorted(folder.glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        title = re.match(r"# (\d{4}) (.+)", text)
        status = re.search(r"^\*Status\*: (.+)$", text, re.MULTILINE)
        if title is None or status is None:
            raise ValueError(f"{path.name}: expected `# NNNN Title` and a line `*Status*: …`")
        rows.append(f"| {title[1]} | [{title[2]}]({path.name}) | {status[1]} |\n")
    return HEAD + "".join(rows)
