"""Suites that are lists of ids."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.catalogue import DATA, load_catalogue
from edgekernelbench.workloads.schema import Workload

AGENT = load_catalogue().select(suite="agent")
TYPES = {"f32": "float", "f64": "float", "f16": "half", "bf16": "half"}
MARGINS: dict[str, Callable[[Workload], str]] = {
    "level": lambda w: str(w.level),
    "domain": lambda w: str(w.domain),
    "type": lambda w: TYPES.get(str(w.dtype), "integer"),
}


def test_the_agent_suite_has_46_workloads_of_as_many_patterns() -> None:
    assert len(AGENT) == 46
    assert len({w.pattern.id for w in AGENT}) == 46


@pytest.mark.parametrize("name", MARGINS)
def test_no_value_of_a_margin_has_two_more_than_another(name: str) -> None:
    every = {MARGINS[name](w) for w in load_catalogue().workloads}
    counts = Counter(MARGINS[name](w) for w in AGENT)

    assert counts.keys() == every
    assert max(counts.values()) - min(counts.values()) <= 1


def test_the_head_of_the_list_says_what_is_in_it() -> None:
    head = (DATA / "suites" / "agent.txt").read_text(encoding="utf-8").split("\n")[:5]

    for name, margin in MARGINS.items():
        said = next(line for line in head if line.startswith(f"# {name}: "))
        told = dict(part.rsplit(" ", 1) for part in said.removeprefix(f"# {name}: ").split(", "))
        assert {kind: int(n) for kind, n in told.items()} == Counter(margin(w) for w in AGENT)


def test_an_unknown_id_in_a_list_is_refused_with_the_nearest(tmp_path: Path) -> None:
    root = make_catalogue(tmp_path)
    (root / "suites").mkdir()
    (root / "suites" / "some.txt").write_text(
        "# two\ntiny/scale@n12-f32\ntiny/scale@n99-f32\n", encoding="utf-8"
    )

    with pytest.raises(
        CatalogueError, match=r"suites/some\.txt: no workload tiny/scale@n99-f32; did you mean"
    ):
        load_catalogue(root)


def test_a_list_is_a_suite_and_changes_no_hash(tmp_path: Path) -> None:
    plain = load_catalogue(make_catalogue(tmp_path / "a")).hash
    root = make_catalogue(tmp_path / "b")
    (root / "suites").mkdir()
    (root / "suites" / "some.txt").write_text("tiny/scale@n12-f32\n", encoding="utf-8")
    listed = load_catalogue(root)

    assert [w.id for w in listed.select(suite="some")] == ["tiny/scale@n12-f32"]
    assert listed.hash == plain
