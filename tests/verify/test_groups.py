"""What is known of stages that are computed step by step."""

from tests.verify.support import texts, verify

from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

FOUND: dict[str, Facts] = {name: verify_compute(kernel) for name, kernel in texts()}


def test_stages_of_a_group_may_stand_at_different_depths() -> None:
    (group,) = FOUND["biquad_cascade"].groups
    assert group.axes == (("t", 4800), ("s", 5))
    assert group.ordered == {"y": ("t", "s"), "out": ("t",)}
    assert group.free == {"y": frozenset("n"), "out": frozenset("n")}


def test_an_axis_that_is_summed_over_is_not_free() -> None:
    (group,) = FOUND["lstm"].groups
    assert group.stages == ("ph", "z", "c", "h")
    assert all("j" not in axes for axes in group.free.values())


def test_a_reduction_axis_of_the_same_name_is_another_axis() -> None:
    (group,) = FOUND["topk"].groups
    assert group.free == dict.fromkeys(("taken", "idx", "val"), frozenset("b"))


def test_an_axis_that_only_the_group_above_reads_otherwise_stays_free() -> None:
    first, second = FOUND["cumsum_blocked"].groups
    assert first.free["part"] == frozenset("ib")
    assert second.free["before"] == frozenset("i")


def test_a_text_without_for_has_no_group() -> None:
    assert FOUND["softmax"].groups == ()
    assert FOUND["softmax"].group_of("ex") is None


def test_the_group_of_a_stage_is_found() -> None:
    facts = FOUND["nms"]
    assert facts.group_of("pick") is facts.groups[0]
    assert facts.group_of("area") is None


def test_tensors_are_found_by_name() -> None:
    facts = verify("x: f32[4]", "k: f32[2] = [1, 2]\nout[i]: f32[4] = x[i] * k[i % 2]")
    assert [facts.tensor(name).shape for name in ("x", "k", "out")] == [(4,), (2,), (4,)]
