"""`ekb catalogue`."""

from pathlib import Path

from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Domain, Level


def test_the_list_has_every_workload(ekb: Ekb) -> None:
    done = ekb("catalogue", "list")
    ids = [line.split()[0] for line in done.out.splitlines()[1:]]
    assert ids == [w.id for w in load_catalogue().workloads]
    assert "workloads of" in done.err


def test_a_suite_and_names_narrow_the_list(ekb: Ekb) -> None:
    rows = ekb("catalogue", "list", "softmax", "--suite", "full", "--json").json
    assert rows
    assert {row["pattern"] for row in rows} == {"norm/softmax"}


def test_a_workload_is_shown_with_both_of_its_texts(ekb: Ekb) -> None:
    workload = load_catalogue().select(["softmax"])[0]
    done = ekb("catalogue", "show", workload.id)
    assert done.status == Status.YES
    assert "with compute:" in done.out
    assert "torch.softmax" in done.out
    assert workload.source in done.out
    assert 'x = { draw = "normal", mean = 0.0, std = ' in done.out
    shown = ekb("catalogue", "show", workload.id, "--json").json
    assert shown["canonical"].startswith("def softmax(")


def test_the_quick_check_compares_small_twins_with_pytorch(ekb: Ekb) -> None:
    done = ekb("catalogue", "check", "softmax", "max_pool2d", "--quick")
    assert done.status == Status.YES, done.out
    assert done.out.endswith("workloads are in order\n")
    assert "checking: " in done.err


def test_the_check_at_real_sizes_says_what_it_checked(ekb: Ekb) -> None:
    found = ekb("catalogue", "check", "softmax", "--suite", "quick", "--json").json
    assert found["findings"] == []
    assert [name.partition("@")[0] for name in found["workloads"]] == ["norm/softmax"]


def test_the_list_is_filtered_by_what_a_workload_is(ekb: Ekb) -> None:
    done = ekb("catalogue", "list", "--domain", "audio", "--type", "i16", "--level", "fused")
    found = load_catalogue().select(domain=Domain.AUDIO, dtype=DType.I16, level=Level.FUSED)
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == [w.id for w in found]
    assert (
        ekb("catalogue", "list", "--domain", "audo").err == "ekb: no domain 'audo'; did you mean 'audio'?\n"
    )


def test_a_catalogue_of_ones_own_begins_in_order_and_its_kernels_are_judged(ekb: Ekb, tmp_path: Path) -> None:
    root = str(tmp_path / "mine")
    made = ekb("catalogue", "new", root, "family/scale_relu")
    assert (made.status, len(made.out.splitlines())) == (Status.YES, 4)
    refused = ekb("catalogue", "check", "--in", root)
    assert (refused.status, "then add --trust" in refused.err) == (Status.USAGE, True)
    checked = ekb("catalogue", "check", "--in", root, "--trust")
    assert (checked.status, checked.out) == (Status.YES, "1 of 1 workloads are in order\n")
    name = "family/scale_relu@r197-n384-f32"
    text = tmp_path / "k.kir"
    text.write_text(
        ekb("catalogue", "show", name, "--in", root, "--json").json["canonical"], encoding="utf-8"
    )
    judged = ekb("judge", str(text), "-w", name, "--in", root, "--no-timing", "--compiler", "c")
    assert (judged.status, judged.out.startswith("correct on ")) == (Status.YES, True)
    again = ekb("catalogue", "new", root, "family/other")
    assert "family exists: put other.kir and other.py into it" in again.err
    assert "none FAMILY/NAME` makes one" in ekb("catalogue", "list", "--in", str(tmp_path / "none")).err
