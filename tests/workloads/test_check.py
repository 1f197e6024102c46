"""The checks find what is wrong, and find nothing in our own catalogue."""

from pathlib import Path

import pytest
from tests.workloads.conftest import edit

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.check import (
    check_catalogue,
    check_names,
    check_pattern,
    check_text,
    check_values,
    check_variation,
)
from edgekernelbench.workloads.schema import Pattern, Workload

pytestmark = pytest.mark.needs_torch

CATALOGUE = load_catalogue()


def test_names_are_in_order() -> None:
    assert list(check_names(CATALOGUE)) == []


@pytest.mark.parametrize("pattern", CATALOGUE.patterns, ids=lambda p: p.id)
def test_every_pattern_says_what_it_is(pattern: Pattern) -> None:
    assert list(check_pattern(pattern)) == []


@pytest.mark.parametrize("workload", CATALOGUE.workloads, ids=lambda w: w.id)
def test_every_text_verifies_and_agrees_with_pytorch_at_small_sizes(workload: Workload) -> None:
    assert list(check_text(workload)) == []
    assert list(check_values(workload.twin())) == []


@pytest.mark.full_size
@pytest.mark.parametrize("workload", CATALOGUE.workloads, ids=lambda w: w.id)
def test_every_workload_agrees_with_pytorch_and_varies_at_full_size(workload: Workload) -> None:
    assert [*check_values(workload), *check_variation(workload)] == []


def test_a_sound_catalogue_has_no_findings(toy: Path) -> None:
    seen: list[str] = []
    assert check_catalogue(load_catalogue(toy), progress=seen.append) == ()
    assert seen == ["toy/scale@n9-f16"]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("scale.kir", "scale: each", "each", "expected a docstring that starts with its name"),
        ("scale.kir", "Source: made", "Made", "expected Source: in the docstring"),
        ("scale.kir", "* w[i])", "* w[i + 1])", "R01"),
        ("scale.kir", "T(f32(x[i]) * w[i])", "T(f32(x[i]) + w[i])", "out: expected PyTorch within"),
        ("scale.kir", "T(f32(x[i]) * w[i])", "T(0.0 * f32(x[i]) * w[i])", "out: expected outputs that vary"),
        ("scale.py", "(x, w)", "(x, weight)", "expected a PyTorch function of x, w, found x, weight"),
        ("scale.py", "return (", "return x, (", "expected 1 outputs of PyTorch, found 2"),
        ("workloads.toml", "N = 9 }", "N = 9, M = 2 }", "expected no value for M"),
        ("workloads.toml", ", N = 9 }", " }", "expected a value for N"),
        ("workloads.toml", "n9-f16", "n9-i8", "expected a parameter or output of type i8, found none"),
        ("workloads.toml", "w = {", "v = {", "expected a draw for w"),
    ],
)
def test_a_broken_promise_is_found(toy: Path, name: str, old: str, new: str, message: str) -> None:
    edit(toy / "toy" / name, old, new)
    findings = check_catalogue(load_catalogue(toy))
    assert any(message in finding.message for finding in findings), findings


def test_two_rows_of_one_computation_are_found(toy: Path) -> None:
    path = toy / "toy" / "workloads.toml"
    text = path.read_text()
    path.write_text(text + text[text.index("[[workload]]") :].replace("n9-f16", "n9b-f16"))
    messages = [finding.message for finding in check_names(load_catalogue(toy))]
    assert messages == ["expected sizes of its own, found those of toy/scale@n9-f16"]


def test_a_pattern_that_nobody_uses_is_found(toy: Path) -> None:
    for suffix in (".kir", ".py"):
        text = (toy / "toy" / "scale").with_suffix(suffix).read_text()
        (toy / "toy" / "idle").with_suffix(suffix).write_text(text.replace("scale", "idle"))
    messages = [finding.message for finding in check_names(load_catalogue(toy))]
    assert messages == ["expected a workload of it, found none"]
