"""The page of what was read lists the thirty patterns that the seed draws."""

import random
import re

from tests.docs.pages import DOCS

from edgekernelbench.workloads.catalogue import load_catalogue

PAGE = (DOCS / "explanation" / "reading.md").read_text(encoding="utf-8")


def test_the_patterns_that_were_read_are_those_that_were_drawn() -> None:
    (seed,) = re.findall(r'random\.Random\("([^"]+)"\)', PAGE)
    ids = sorted(pattern.id for pattern in load_catalogue().patterns)
    drawn = random.Random(seed).sample(ids, 30)  # noqa: S311 - a reproducible draw

    assert re.findall(r"^\| `(\w+/\w+)` \|", PAGE, re.MULTILINE) == sorted(drawn)
