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
    assert 'input x = { draw = "normal", mean = 0.0, std = ' in done.out
    assert f"N = {workload.sizes['N']}" in done.out
    assert "operations a byte" in done.out
    assert "vendor, ONNX Runtime: " in done.out
    assert "# Your task" in done.out
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


def test_a_held_out_workload_is_shown_and_judged_by_seed_or_by_id(ekb: Ekb, tmp_path: Path) -> None:
    shown = ekb("catalogue", "show", "pool/max_unpool@c41-h36-f16", "--held-out", "5", "--json").json
    assert shown["id"] == "pool/max_unpool@c41-h36-held5-f16"
    assert shown["sizes"] != load_catalogue().workload("pool/max_unpool@c41-h36-f16").sizes
    assert "max_unpool" not in shown["canonical"].partition("Source")[0]
    assert ekb("catalogue", "show", shown["id"], "--json").json["canonical"] == shown["canonical"]

    text = tmp_path / "k.kir"
    text.write_text(shown["canonical"], encoding="utf-8")
    judged = ekb("judge", str(text), "-w", shown["id"], "--no-timing", "--compiler", "c")
    assert (judged.status, judged.out.startswith("correct on ")) == (Status.YES, True), judged.err


def test_a_seed_below_zero_is_no_seed(ekb: Ekb) -> None:
    done = ekb("catalogue", "show", "norm/softmax@r591-n197-f32", "--held-out", "-1")
    assert done.status == Status.USAGE


def test_the_list_counts_and_finds(ekb: Ekb) -> None:
    counted = ekb("catalogue", "list", "softmax", "--counts", "--json").json
    assert all(row["operations"] > 0 and row["moved_bytes"] > 0 for row in counted)
    head, *rows = ekb("catalogue", "list", "softmax", "--counts").out.splitlines()
    assert head.split()[-3:] == ["bytes", "a", "byte"]
    assert len(rows) == len(counted)
    found = ekb("catalogue", "list", "--find", "librosa", "--json").json
    assert {row["pattern"] for row in found} >= {"audio/stft_magnitude"}


def test_mistakes_in_a_catalogue_of_ones_own_are_put_before_the_judge(ekb: Ekb, tmp_path: Path) -> None:
    root = str(tmp_path / "mine")
    ekb("catalogue", "new", root, "family/scale_relu")
    done = ekb("catalogue", "lint", "--in", root, "--json")
    (battery,) = done.json
    assert battery["workload"] == "family/scale_relu@r197-n384-f32"
    assert len(battery["verdicts"]) > 5
    assert done.status == Status.YES

    refused = ekb("catalogue", "lint", "--in", root, "--honest")
    assert (refused.status, "for our catalogue alone" in refused.err) == (Status.USAGE, True)
