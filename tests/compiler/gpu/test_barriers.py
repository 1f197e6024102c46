"""Where barriers stand in device code: as many as are needed, and no more."""

from dataclasses import replace

import pytest
from tests.interp.texts import bound, facts_of, verified

from edgekernelbench.compiler.tvm.gpu.build import write_device_code
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Cache
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_tvm


def body(facts: Facts, device: str = "opencl") -> str:
    profile = load_profile(device)
    source = write_device_code(build_nest(facts, profile.target, profile), profile).source
    return source[source.index("run_0(", source.index("run_0(") + 1) :]


def with_buffers(kernel: Kernel, count: int) -> Kernel:
    """Give all caches so many buffers."""
    memories = tuple(
        replace(
            m,
            directives=tuple(replace(d, buffers=count) if isinstance(d, Cache) else d for d in m.directives),
        )
        for m in kernel.memories
    )
    return replace(kernel, memories=memories)


def tiles(buffers: int) -> str:
    return body(
        verify_compute(with_buffers(bound("matmul", {"M": 128, "N": 128, "K": 32}), buffers)), "cuda-sm87"
    )


def test_tiles_are_fetched_between_two_barriers_a_step() -> None:
    text = tiles(1)
    assert text.count("ekb_barrier()") == 2
    step = text[text.index("for (int ko_") :]
    first, second = (place for place in range(len(step)) if step.startswith("ekb_barrier()", place))
    assert first < step.index("a_shared") < second < step.index("for (int ki_")


def test_tiles_that_are_fetched_ahead_need_one_barrier_a_step() -> None:
    text = tiles(2)
    assert text.count("ekb_barrier()") == 1
    step = text[text.index("for (int ko_") :]
    assert step.index("ekb_barrier()") < step.index("a_shared") < step.index("for (int ki_")


def test_what_a_thread_wrote_itself_needs_no_barrier() -> None:
    text = body(verify_compute(bound("conv3x3_bias_relu", {"C": 3, "K": 5, "H": 6, "W": 7})))
    assert "ekb_barrier()" not in text


def test_a_step_waits_for_the_step_before() -> None:
    """Threads read what others wrote in the last round of a loop that is round the thread loops."""
    source = body(facts_of("lstm"), "cuda-sm87")
    loop = source[source.index("for (int ph_t_") :]
    assert loop[: loop.index("ph__ptr")].count("ekb_barrier()") >= 1


def test_no_barrier_stands_behind_a_condition_of_threads() -> None:
    lines = body(facts_of("softmax")).splitlines()
    for line in lines:
        if "ekb_barrier()" in line:
            assert line.startswith("  e"), line


TWICE = """
def k(x: f32[4, 64]):
    with compute:
        a[i, j]: f32[4, 64] = x[i, j] * 2.0
        b[i, j]: f32[4, 64] = a[i, 63 - j] + 1.0
        c[i, j]: f32[4, 64] = b[i, 63 - j] * 3.0
        d[i, j]: f32[4, 64] = c[i, 63 - j] - 1.0
        return d

    with schedule("opencl"):
        bind(d.i, "blockIdx.x")
        compute_at(a, d.i)
        compute_at(b, d.i)
        compute_at(c, d.i)
"""


def test_memory_that_two_buffers_share_changes_hands_at_a_barrier() -> None:
    lines = [line.strip() for line in body(verified(TWICE)).splitlines()]
    assert sum("__local float" in line for line in lines) == 2
    assert lines.count("ekb_barrier();") == 3
