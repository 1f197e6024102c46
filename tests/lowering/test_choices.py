"""Whatever is decided, what the lowering writes is legal and keeps values."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.agents.policy.device import DENSE8, DEVICE, TEXTS, facts_of
from tests.nest.running import assert_right

from edgekernelbench.agents.policy.rewrites.dots import dot_form
from edgekernelbench.agents.policy.writing import again
from edgekernelbench.ir.memory import Cache
from edgekernelbench.ir.schedule import Tensorize
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.choices import ALL, DEFAULT, Choices, TileKey, decided
from edgekernelbench.lowering.default import count_rules, default_lowering
from edgekernelbench.lowering.options import list_options
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.facts import Facts


def lowered(facts: Facts, choices: Choices) -> Facts:
    return replace(facts, kernel=default_lowering(facts, "llvm", DEVICE, choices))


def assert_kept(facts: Facts, choices: Choices) -> str:
    made = lowered(facts, choices)
    assert_right(made, build_nest(made, "llvm", DEVICE))
    return print_kernel(made.kernel)


@pytest.mark.parametrize("name", TEXTS)
def test_any_choice_keeps_values(name: str) -> None:
    facts = facts_of(TEXTS[name])
    options = list_options(facts, DEVICE)
    stages = tuple(options.work)
    texts = {
        assert_kept(facts, one)
        for one in (
            DEFAULT,
            *(Choices(tiles={s: key}) for s, tiles in options.tiles.items() for key, _ in tiles[1:4]),
            Choices(lanes={ALL: 2}),
            Choices(few={ALL: 4}),
            Choices(steps={ALL: 2}),
            Choices(tasks=8, shared=frozenset(stages)),
            Choices(apart=frozenset(options.inside)),
            Choices(inline=frozenset(stages)),
            *(Choices(first={root: axis}) for root, axes in options.roots.items() for axis in axes[1:]),
        )
    }
    assert len(texts) > 3


def test_nothing_chosen_is_the_default() -> None:
    facts = facts_of(DENSE8)
    assert default_lowering(facts, "llvm", DEVICE) == default_lowering(facts, "llvm", DEVICE, Choices())


def test_a_tile_that_does_not_exist_is_no_tile() -> None:
    facts = facts_of(DENSE8)
    wrong = Choices(tiles={"acc": TileKey("n", 999)})
    assert default_lowering(facts, "llvm", DEVICE, wrong) == default_lowering(facts, "llvm", DEVICE)


def test_a_choice_for_all_gives_way_to_one_for_a_stage() -> None:
    assert (decided({ALL: 2, "s": 4}, "s"), decided({ALL: 2}, "s"), decided({}, "s")) == (4, 2, None)


@pytest.mark.parametrize("name", ["dense8", "conv8"])
def test_sums_of_bytes_are_left_to_the_instruction(name: str) -> None:
    found = dot_form(facts_of(TEXTS[name]), 16)
    assert found is not None
    facts = again(found[0])
    chosen = Choices(dots=True, apart=found[1])
    assert 'tensorize("dot4"' in assert_kept(facts, chosen)
    made = lowered(facts, chosen).kernel.schedule_for("llvm").directives
    assert any(isinstance(one, Tensorize) for one in made)


def test_a_device_without_the_instruction_gets_none() -> None:
    found = dot_form(facts_of(DENSE8), 16)
    assert found is not None
    facts = again(found[0])
    plain = default_lowering(facts, "llvm", replace(DEVICE, instructions=()), Choices(dots=True))
    assert not any(isinstance(one, Tensorize) for one in plain.schedule_for("llvm").directives)


MATMUL = '''def matmul(a: f32[64, 32], b: f32[32, 64]):
    """A product."""

    with compute:
        c[i, j]: f32[64, 64] = sum(a[i, k] * b[k, j] for k in range(32))
        return c
'''


def on_gpu(choices: Choices) -> Facts:
    facts, orin = facts_of(MATMUL), load_profile("cuda-sm87")
    made = replace(facts, kernel=default_lowering(facts, "cuda", orin, choices))
    build_nest(made, "cuda", orin)
    return made


def test_a_gpu_has_several_ways_to_write_a_launch() -> None:
    count = count_rules(facts_of(MATMUL), load_profile("cuda-sm87"))["c"]
    texts = {print_kernel(on_gpu(Choices(rules={"c": number})).kernel) for number in range(count)}
    assert len(texts) > 4
    assert print_kernel(on_gpu(DEFAULT).kernel) == print_kernel(on_gpu(Choices(rules={"c": 0})).kernel)


def test_what_blocks_fetch_can_be_fetched_ahead() -> None:
    made = on_gpu(Choices(double=True))
    caches = [d for d in made.kernel.memory_for("cuda").directives if isinstance(d, Cache)]
    assert caches
    assert all(cache.buffers == 2 for cache in caches)


SCRIPT = """
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
device = load_profile("cuda-sm87")
facts = verify_compute(load_catalogue().workload("conv/pointwise_q8@h56-c32-k32-i8").kernel())
print(print_kernel(default_lowering(facts, "cuda", device)))
"""


def test_the_order_of_sets_decides_nothing() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
