"""What the explanations say of the code is there."""

import re

import pytest
from tests.docs.generating.layers import contract_layers
from tests.docs.pages import DOCS, ROOT, blocks

from edgekernelbench.evaluator.sheets import GUARD_BYTES

ARCHITECTURE = DOCS / "explanation" / "architecture.md"
THREATS = (DOCS / "explanation" / "threat-model.md").read_text(encoding="utf-8")
ATTACKED = (DOCS / "explanation" / "attacked.md").read_text(encoding="utf-8")
SHOWN = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", THREATS + ATTACKED)))


def test_the_layers_of_the_guide_for_contributors_are_the_contract() -> None:
    page = ROOT / "CONTRIBUTING.md"
    (picture,) = (block for block in blocks(page) if block.lines and block.lines[0].startswith("cli "))

    assert [re.split(r" {2,}", line)[0] for line in picture.lines] == contract_layers()


def test_every_package_has_a_paragraph() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    packages = {name for layer in contract_layers() for name in layer.split(" | ")}

    assert set(re.findall(r"^\*\*(\w+)\*\* ", text, re.MULTILINE)) == packages


def test_every_file_that_the_architecture_names_is_there() -> None:
    named = re.findall(r"`([a-z]+(?:/[\w.]+)+/?)`", ARCHITECTURE.read_text(encoding="utf-8"))
    for name in named:
        places = [ROOT / name, ROOT / "src" / "edgekernelbench" / name]
        assert any(place.exists() for place in places), name


@pytest.mark.parametrize(("file", "name"), SHOWN)
def test_every_threat_is_shown_by_a_test_that_is_there(file: str, name: str) -> None:
    path = ROOT / file
    assert path.is_file()
    assert name in path.read_text(encoding="utf-8")


def test_guards_reach_as_far_as_the_page_says() -> None:
    assert f"Guards reach {GUARD_BYTES // 1024} KiB" in THREATS


def test_the_row_of_the_guide_is_a_row_of_the_catalogue() -> None:
    row, bounds = (b.text for b in blocks(DOCS / "guides" / "add-a-workload.md") if b.language == "toml")
    data = ROOT / "src" / "edgekernelbench" / "workloads" / "data"
    files = [path.read_text(encoding="utf-8") for path in data.glob("*/workloads.toml")]

    assert any(row in text for text in files)
    for line in bounds.strip().split("\n"):
        assert any(line in text for text in files), line
