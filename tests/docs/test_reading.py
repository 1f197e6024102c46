"""The pages of what was read list the thirty patterns that the seed draws, and all of a family."""

import random
import re

import pytest
from tests.docs.pages import DOCS

from edgekernelbench.workloads.catalogue import load_catalogue

PAGE = (DOCS / "explanation" / "reading.md").read_text(encoding="utf-8")

FAMILIES = {
    "learning": "attention factor linear network norm recommendation recurrent sequence sparse",
    "signals": "audio control health radio sensing signal solve speech",
}


def test_the_patterns_that_were_read_are_those_that_were_drawn() -> None:
    (seed,) = re.findall(r'random\.Random\("([^"]+)"\)', PAGE)
    ids = sorted(pattern.id for pattern in load_catalogue().patterns)
    drawn = random.Random(seed).sample(ids, 30)  # noqa: S311 - a reproducible draw

    assert re.findall(r"^\| `(\w+/\w+)` \|", PAGE, re.MULTILINE) == sorted(drawn)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_pattern_of_a_page_was_read(name: str) -> None:
    page = (DOCS / "explanation" / f"reading-{name}.md").read_text(encoding="utf-8")
    found = set(re.findall(r"^\| `(\w+/\w+)` \|", page, re.MULTILINE))
    (right,) = re.findall(r"^## Right as they stand\n\n(.*?)\n\n", page, re.MULTILINE | re.DOTALL)
    as_they_stand = re.findall(r"`(\w+/\w+)`", right)
    before = set(re.findall(r"^\| `(\w+/\w+)` \|", PAGE, re.MULTILINE))
    families = FAMILIES[name].split()
    ids = {p.id for p in load_catalogue().patterns if p.id.partition("/")[0] in families}

    assert f"\n{len(as_they_stand)} were right as they stood.\n" in page
    assert not found & set(as_they_stand)
    assert (found | set(as_they_stand)) - before == ids - before
