"""Loading, naming and filtering."""

from collections import Counter
from pathlib import Path

import pytest
from tests.workloads.conftest import edit

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Domain, Level


def test_the_catalogue_of_the_package_has_all_levels_and_domains() -> None:
    catalogue = load_catalogue()
    assert {w.level for w in catalogue.workloads} == set(Level)
    assert {w.domain for w in catalogue.workloads} == set(Domain)
    assert len(catalogue.patterns) >= 40


def test_the_catalogue_is_whole() -> None:
    catalogue = load_catalogue()
    assert (len(catalogue.patterns), len(catalogue.workloads)) == (331, 650)


def test_every_level_and_domain_has_its_share_of_patterns() -> None:
    workloads = load_catalogue().workloads
    patterns = {
        part: {w.pattern.id for w in workloads if part in (w.level, w.domain)} for part in (*Level, *Domain)
    }
    least = {Level.OPERATOR: 150, Level.FUSED: 105, Level.GRAPH: 60} | dict.fromkeys(Domain, 15)
    assert {part: len(patterns[part]) for part in least if len(patterns[part]) < least[part]} == {}


def test_short_types_have_their_share_of_workloads() -> None:
    types = Counter(w.dtype for w in load_catalogue().workloads)
    assert types[DType.F16] + types[DType.BF16] >= 80
    assert types[DType.I4] + types[DType.U4] >= 20
    assert types[DType.I8] >= 90


def test_a_third_of_the_workloads_leaves_a_tail_in_a_vector() -> None:
    """The last axis of an output is the one that a vector runs along."""
    workloads = load_catalogue().workloads
    last = {w.id: [s.shape[-1] for s in outputs_of(w.kernel()) if s.shape] for w in workloads}
    odd = [w for w in workloads if any(n > 8 and n % 8 for n in last[w.id])]
    assert len(odd) >= len(workloads) / 3


def test_signal_processing_in_integers_alone_has_its_share() -> None:
    found = [
        w
        for w in load_catalogue().workloads
        if w.domain in (Domain.SIGNAL, Domain.AUDIO, Domain.SENSING, Domain.HEALTH)
        and all(p.dtype.is_int for p in w.kernel().params)
        and all(stage.dtype.is_int for stage in outputs_of(w.kernel()))
    ]
    assert len(found) >= 15


def test_ids_are_sorted_and_unique() -> None:
    ids = [w.id for w in load_catalogue().workloads]
    assert ids == sorted(set(ids))


def test_a_workload_is_found_by_its_id() -> None:
    workload = load_catalogue().workload("norm/softmax@r591-n197-f32")
    assert (workload.sizes["N"], workload.dtype, workload.pattern.family) == (197, DType.F32, "norm")


def test_an_unknown_workload_is_answered_with_the_nearest() -> None:
    with pytest.raises(CatalogueError, match=r"did you mean norm/softmax@r591-n197-f32\?"):
        load_catalogue().workload("norm/softmax@r591-n197-f3")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("softmax", r"no workload softmax, but it has 2: norm/softmax@\S+, norm/softmax@\S+; name one"),
        ("conv", r"but it has \d\d: conv/\S+, conv/\S+, conv/\S+, …; name one"),
        ("norm/softmx", r"did you mean norm/softmax\?"),
        ("gcc_phat", r"did you mean \w+/gcc_phat@\S+\?"),
    ],
)
def test_a_pattern_or_family_is_answered_with_its_workloads(name: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        load_catalogue().workload(name)


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(CatalogueError, match=r"no suite fast"):
        load_catalogue().select(suite="fast")


def test_names_of_families_patterns_and_workloads_select() -> None:
    catalogue = load_catalogue()
    assert catalogue.select(["norm/softmax"]) == catalogue.select(["softmax"])
    assert {w.pattern.family for w in catalogue.select(["norm", "pool/max_pool2d"])} == {"norm", "pool"}


def test_filters_hold_together() -> None:
    found = load_catalogue().select(domain=Domain.LANGUAGE, dtype=DType.F16, level=Level.FUSED)
    assert found
    assert all((w.domain, w.dtype, w.level) == (Domain.LANGUAGE, DType.F16, Level.FUSED) for w in found)


def test_the_quick_suite_is_small() -> None:
    assert 6 <= len(load_catalogue().select(suite="quick")) <= 24


def test_the_hash_changes_with_any_file(toy: Path) -> None:
    before = load_catalogue(toy)
    load_catalogue.cache_clear()
    assert load_catalogue(toy).hash == before.hash
    load_catalogue.cache_clear()
    edit(toy / "toy" / "scale.py", "Each", "Every")
    assert load_catalogue(toy).hash != before.hash


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "toy/scale@n9-f16",
            "toy/scale@N9-f16",
            r"toy/workloads.toml: workload.0.id: .* found 'toy/scale@N9-f16'",
        ),
        ("toy/scale@n9-f16", "toy/scales@n9-f16", r"no pattern toy/scales; did you mean toy/scale\?"),
        ('"signal"', '"signals"', r"workload.0.domain: .* found 'signals'"),
        ("domain =", "colour = 3\ndomain =", r"workload.0.colour: Extra inputs are not permitted"),
        ('draw = "normal"', 'draw = "gauss"', r"workload.0.inputs.x: "),
        ("scale = { N = 3 }", "", r"expected scale in \[small\], found none"),
        ("[small]", "[small", r"toy/workloads.toml: Expected"),
    ],
)
def test_a_wrong_row_is_named(toy: Path, old: str, new: str, message: str) -> None:
    edit(toy / "toy" / "workloads.toml", old, new)
    with pytest.raises(CatalogueError, match=message):
        load_catalogue(toy)


def test_a_pattern_without_its_function_is_refused(toy: Path) -> None:
    (toy / "toy" / "scale.py").unlink()
    with pytest.raises(CatalogueError, match=r"expected scale.py beside it"):
        load_catalogue(toy)


def test_a_folder_without_a_version_is_refused(toy: Path) -> None:
    (toy / "VERSION").unlink()
    with pytest.raises(CatalogueError, match=r"expected a file VERSION"):
        load_catalogue(toy)
