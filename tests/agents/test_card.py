"""Task cards: what every agent is told, and what none is."""

import pytest
from tests.conftest import Golden

from edgekernelbench.agents.card import CardFacts, card_text, device_text, make_task, render, system_text
from edgekernelbench.agents.extract import extract_kernel
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.protocol import Track
from edgekernelbench.base.errors import InternalError
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import DeviceClass, Profile, load_profile
from edgekernelbench.verify.compute import verify_compute

KERNEL = '''def softmax(x: f16[4, 32]):
    """softmax: probabilities along the last axis."""
    with compute:
        top[i]: f32[4] = max(f32(x[i, j]) for j in range(32))
        ex[i, j]: f32[4, 32] = exp(f32(x[i, j]) - top[i])
        den[i]: f32[4] = sum(ex[i, j] for j in range(32))
        out[i, j]: f16[4, 32] = f16(ex[i, j] / den[i])
        return out
'''
PYTORCH = '''import torch


def softmax(x, *, N):
    """Probabilities along the last axis."""
    return torch.softmax(x, dim=-1)
'''
EDGE = DeviceClass.EDGE
CPU = Profile("cpu", "A small CPU", "llvm", EDGE, threads=4, vector_bytes=32, quirks=("It is slow.",))
GPU = Profile(
    "gpu", "A small GPU", "cuda", EDGE, max_threads=1024, shared_bytes=49152, instructions=("wmma.16x16x16",)
)


def facts(track: Track) -> CardFacts:
    return CardFacts(
        workload="norm/softmax@r4-n32-f16",
        title="probabilities along the last axis.",
        name="softmax",
        parameters="x: f16[4, 32]",
        outputs=("f16[4, 32]",),
        arithmetic="sums in f32 or wider",
        pytorch=PYTORCH,
        sizes={"T": "f16", "R": 4, "N": 32},
        canonical=KERNEL if track is Track.OPTIMISE else None,
    )


@pytest.mark.parametrize("track", list(Track))
def test_the_card_of_a_cpu_is_golden(track: Track, golden: Golden) -> None:
    golden(card_text(facts(track), CPU, Budget(submissions=1, tokens=20000)))


def test_the_short_card_is_golden(golden: Golden) -> None:
    task = make_task(facts(Track.WRITE), CPU, Budget(submissions=1), short=True)
    turns = [text for shot in task.shots for text in (shot.prompt, shot.answer)]
    golden("\n--------\n".join([*turns, task.prompt]))


def test_the_card_of_a_gpu_is_golden(golden: Golden) -> None:
    golden(card_text(facts(Track.WRITE), GPU, Budget()))


@pytest.mark.parametrize("target", ["llvm", "cuda"])
@pytest.mark.parametrize("short", [False, True], ids=["whole", "short"])
def test_the_language_reference_is_golden(target: str, short: bool, golden: Golden) -> None:
    golden(system_text(Track.WRITE, target, short=short))


@pytest.mark.parametrize(
    ("target", "profile"), [("llvm", "llvm"), ("cuda", "cuda-sm87"), ("opencl", "opencl")]
)
@pytest.mark.parametrize("short", [False, True], ids=["whole", "short"])
def test_the_text_that_shows_the_shape_is_legal(target: str, profile: str, short: bool) -> None:
    shown = system_text(Track.WRITE, target, short=short)
    text = extract_kernel(shown[shown.index("def name(") :])
    assert text is not None
    built = build_nest(verify_compute(parse(text)), target, load_profile(profile))
    assert built.name == "name"


def test_in_the_write_track_there_is_no_text_to_start_from() -> None:
    task = make_task(facts(Track.WRITE), CPU, Budget())
    assert task.start is None
    assert "torch.softmax" in task.prompt
    assert "start from" not in task.prompt


def test_in_the_optimise_track_every_agent_gets_the_canonical_text() -> None:
    task = make_task(facts(Track.OPTIMISE), CPU, Budget())
    assert task.start is not None
    assert task.start.strip() in task.prompt
    assert "torch" not in task.prompt.rpartition("# Your task")[2]


def test_the_system_text_is_the_same_for_all_workloads() -> None:
    first = make_task(facts(Track.WRITE), CPU, Budget(submissions=1))
    other = CardFacts("w", "t", "g", "x: f32[8]", ("f32[8]",), "f32", "def g(x): ...", {})
    assert make_task(other, CPU, Budget(), sample=4).system == first.system


def test_only_sizes_that_the_function_mentions_are_listed() -> None:
    shown = card_text(facts(Track.WRITE), CPU, Budget())
    assert "with N = 32\n" in shown
    assert "R = 4" not in shown


def test_the_short_reference_leaves_room_in_a_small_context() -> None:
    task = make_task(facts(Track.WRITE), CPU, Budget(), short=True)
    assert len(task.system) < 4_000
    assert len(system_text(Track.WRITE, "llvm")) < 16_000


def test_a_device_says_what_a_writer_needs() -> None:
    assert "4 threads; vectors of 32 B (8 f32)" in device_text(CPU)
    assert device_text(CPU).endswith("; It is slow")
    assert "1,024 threads a block; 49,152 B of shared memory" in device_text(GPU)
    assert "tensorize: wmma.16x16x16" in device_text(GPU)


@pytest.mark.parametrize("values", [{}, {"canonical": "x", "more": "y"}, {"other": "x"}])
def test_a_template_takes_exactly_its_values(values: dict[str, str]) -> None:
    with pytest.raises(InternalError, match="reference_optimise"):
        render("reference_optimise", values)


def test_a_dollar_in_a_value_is_only_a_dollar() -> None:
    assert "costs $x" in render("reference_optimise", {"canonical": "costs $x"})
