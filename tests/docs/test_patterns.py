"""The page of all patterns is the catalogue's."""

import re

import pytest
from tests.docs.pages import DOCS

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.likeness import near_duplicates
from edgekernelbench.workloads.schema import Domain

PAGE = (DOCS / "explanation" / "patterns.md").read_text(encoding="utf-8")

HEADINGS = {
    Domain.LINEAR_ALGEBRA: "Linear algebra",
    Domain.LANGUAGE: "Language",
    Domain.VISION: "Vision",
    Domain.DETECTION: "Detection and tracking",
    Domain.ISP: "Image signal processing",
    Domain.AUDIO: "Audio and speech",
    Domain.SENSING: "Sensing and time series",
    Domain.ROBOTICS: "Robotics and 3-D",
    Domain.RECOMMENDATION: "Recommendation and tabular",
    Domain.SIGNAL: "Signal processing and communications",
    Domain.HEALTH: "Health",
}


def section(domain: Domain) -> list[str]:
    (text,) = re.findall(rf"^## {HEADINGS[domain]} \(\d+\)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| `(\w+/\w+)` \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)


def test_the_page_lists_every_pattern_once() -> None:
    listed = [name for domain in Domain for name in section(domain)]

    assert sorted(listed) == sorted(pattern.id for pattern in load_catalogue().patterns)
    assert PAGE.startswith(f"# {len(listed)} patterns, ")


@pytest.mark.parametrize("domain", Domain)
def test_a_pattern_stands_in_a_domain_of_its_workloads(domain: Domain) -> None:
    met = {w.pattern.id for w in load_catalogue().workloads if w.domain is domain}

    assert set(section(domain)) <= met


@pytest.mark.parametrize("domain", Domain)
def test_a_heading_counts_its_patterns(domain: Domain) -> None:
    assert f"## {HEADINGS[domain]} ({len(section(domain))})\n" in PAGE


def test_patterns_that_are_written_alike_have_a_reason() -> None:
    told = re.findall(r"^\| `(\S+)`, `(\S+)` \| (0\.\d\d) \| .{40,} \|$", PAGE, re.MULTILINE)
    found = near_duplicates(load_catalogue(), least=0.5)

    assert {(a, b): share for a, b, share in told} == {pair: f"{share:.2f}" for pair, share in found.items()}
