"""Random schedules: legal, different, and the same for the same seed."""

import pytest

from edgekernelbench.agents.random_texts import RandomTexts
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

TEXT = """
def k(x: f32[32, 48], w: const[f32[48, 64]]):
    with compute:
        m[i, j]: f32[32, 64] = sum(x[i, c] * w[c, j] for c in range(48))
        out[i, j]: f32[32, 64] = max(m[i, j], 0.0)
        return out
"""


def drawn(seed: int, count: int, device: str = "llvm") -> list[str]:
    texts = RandomTexts(TEXT, load_profile(device), seed)
    found = [texts.propose() for _ in range(count)]
    return [text for text in found if text is not None]


@pytest.mark.parametrize("device", ["llvm", "opencl"])
def test_every_text_is_legal_and_new(device: str) -> None:
    texts, profile = drawn(3, 8, device), load_profile(device)
    assert len(set(texts)) == 8
    for text in texts:
        build_nest(verify_compute(parse(text)), profile.target, profile)


def test_most_texts_say_something_of_schedule_and_some_of_memory() -> None:
    texts = drawn(5, 12)
    assert sum("split(" in text or "order(" in text for text in texts) > 6
    assert any("layout(" in text for text in texts)


def test_a_seed_decides_the_texts() -> None:
    assert drawn(1, 3) == drawn(1, 3) != drawn(2, 3)


def test_compute_stays_as_it_was() -> None:
    assert {verify_compute(parse(text)).kernel.compute for text in drawn(4, 4)} == {
        verify_compute(parse(TEXT)).kernel.compute
    }
