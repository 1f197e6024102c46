"""Every bottleneck that is built into a text is named first, with its layer and its directive."""

import time

import pytest
from tests.analysis.device import FOUR_CORES, ORIN, inspect_text
from tests.conftest import Golden

from edgekernelbench.analysis.inspection import Built, inspect_nest
from edgekernelbench.analysis.rendering import inspection_as_json, render_inspection, render_report
from edgekernelbench.analysis.report import Bottleneck, Finding
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.peaks import Peaks
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue

CONV = '''def conv(x: f32[32, 56, 56], w: const[f32[64, 32, 3, 3]]):
    """A convolution without padding."""

    with compute:
        acc[k, i, j]: f32[64, 54, 54] = sum(
            x[c, i + r, j + s] * w[k, c, r, s] for c in range(32) for r in range(3) for s in range(3))
        out[k, i, j]: f32[64, 54, 54] = max(acc[k, i, j], 0.0)
        return out

    with schedule("llvm"):
        ko, ki = split(out.k, 8)
        jo, ji = split(out.j, 9)
        order(ko, out.i, jo, ji, ki)
        parallel(ko, out.i)
        compute_at(acc, jo)
        order(acc.c, acc.r, acc.s, acc.j, acc.k)
        unroll(acc.j)
        vectorize(acc.k)

    with memory("llvm"):
        layout(w, "k c r s -> k/8 c r s k%8")
        layout(acc, "k i j -> i j k")
'''
MATMUL = '''def matmul(a: f32[256, 256], b: f32[256, 256]):
    """A product."""

    with compute:
        c[i, j]: f32[256, 256] = sum(a[i, k] * b[k, j] for k in range(256))
        return c
'''
ADD = '''def add(a: f32[4096, 1024], b: f32[4096, 1024]):
    """A sum."""

    with compute:
        c[i, j]: f32[4096, 1024] = a[i, j] + b[i, j]
        return c

    with schedule("llvm"):
        parallel(c.i)
        jo, ji = split(c.j, 8)
        vectorize(ji)
'''
DENSE8 = '''def dense(x: i8[64, 256], w: const[i8[64, 256]]):
    """A quantised product."""

    with compute:
        y[i, n]: i32[64, 64] = sum((x[i, k] - 3) * w[n, k] for k in range(256))
        return y
'''


def scheduled(
    *directives: str, memory: tuple[str, ...] = (), text: str = MATMUL, target: str = "llvm"
) -> str:
    """Add blocks to a text."""
    blocks = text + f'\n    with schedule("{target}"):\n' + "".join(f"        {d}\n" for d in directives)
    return blocks + (
        f'\n    with memory("{target}"):\n' + "".join(f"        {d}\n" for d in memory) if memory else ""
    )


def first(text: str) -> Finding:
    """Give the bottleneck."""
    return inspect_text(text).report.findings[0]


def bottlenecks(text: str) -> set[Bottleneck]:
    return {one.bottleneck for one in inspect_text(text).report.findings}


def test_a_plain_text_computes_one_number_at_a_time_on_one_core() -> None:
    found = inspect_text(MATMUL).report.findings
    assert (found[0].bottleneck, found[0].layer) == (Bottleneck.VECTOR, Layer.SCHEDULE)
    assert "along c.j" in found[0].message
    assert any(one.bottleneck is Bottleneck.PARALLEL and "parallel(c.i)" in one.message for one in found)


def test_weights_that_are_not_packed_are_read_with_a_stride() -> None:
    text = CONV.replace('        layout(w, "k c r s -> k/8 c r s k%8")\n', "")
    found = first(text)
    assert (found.bottleneck, found.layer) == (Bottleneck.STRIDE, Layer.MEMORY)
    assert "w with stride 288" in found.message
    assert 'layout(w, "k c r s -> k/8 c r s k%8") makes it 1' in found.message
    assert found.directive == "vectorize(acc.k)"
    assert Bottleneck.STRIDE not in bottlenecks(CONV)


def test_too_many_accumulators_spill() -> None:
    tiled = (
        "jo, jl = split(c.j, 64)",
        "io, il = split(c.i, 4)",
        "order(io, jo, c.k, il, jl)",
        "parallel(io)",
    )
    marks = ("unroll(il)", "vectorize(jl)")
    found = inspect_text(scheduled(*tiled, *marks, memory=('accumulate(c, "local")',))).report.findings
    spill = next(one for one in found if one.bottleneck is Bottleneck.REGISTERS)
    assert "32 accumulators for 16 registers" in spill.message
    assert spill.directive == "io, il = split(c.i, 4)"


def test_a_single_sum_waits_for_itself() -> None:
    text = scheduled("jo, jl = split(c.j, 8)", "order(c.i, jo, c.k, jl)", "vectorize(jl)", "parallel(c.i)")
    found = inspect_text(text).report.findings
    assert any("1 sum in flight" in one.message for one in found)


def test_sums_that_no_reduction_loop_stands_next_to_go_through_memory() -> None:
    text = scheduled("jo, jl = split(c.j, 8)", "order(c.i, c.k, jo, jl)", "vectorize(jl)", "parallel(c.i)")
    assert "loads and stores its sums at every step" in first(text).message


def test_lanes_that_stay_empty_are_counted() -> None:
    text = scheduled("jo, jl = split(c.j, 12)", "order(c.i, jo, c.k, jl)", "vectorize(jl)", "parallel(c.i)")
    found = next(one for one in inspect_text(text).report.findings if one.bottleneck is Bottleneck.VECTOR)
    assert "25% of the lanes are idle" in found.message
    assert found.directive == "jo, jl = split(c.j, 12)"


def test_few_parallel_iterations_leave_cores_idle() -> None:
    text = scheduled("io, il = split(c.i, 128)", "parallel(io)")
    found = next(one for one in inspect_text(text).report.findings if one.bottleneck is Bottleneck.PARALLEL)
    assert "2 iterations out to 4 cores, as good as 2.0" in found.message
    assert found.directive == "parallel(io)"


def test_what_moves_bytes_alone_is_bound_by_memory() -> None:
    report = inspect_text(ADD).report
    assert report.bound_class is Bottleneck.BANDWIDTH
    assert report.bytes_moved == 3 * 4096 * 1024 * 4
    assert [one.bottleneck for one in report.findings] == [Bottleneck.BANDWIDTH]


def test_a_copy_in_each_run_is_priced() -> None:
    text = ADD + '\n    with memory("llvm"):\n        layout(a, "i j -> j i")\n'
    found = inspect_text(text).report.findings
    packing = next(one for one in found if one.bottleneck is Bottleneck.PACKING)
    assert (packing.layer, packing.directive) == (Layer.MEMORY, 'layout(a, "i j -> j i")')


def test_a_zero_point_in_a_product_keeps_the_dot_instruction_away() -> None:
    found = inspect_text(DENSE8).report.findings
    dots = next(one for one in found if one.bottleneck is Bottleneck.ARITHMETIC)
    assert (dots.layer, 'tensorize("dot4"' in dots.message) == (Layer.COMPUTE, True)
    plain = inspect_text(DENSE8.replace("(x[i, k] - 3)", "x[i, k]")).report.findings
    assert next(one for one in plain if one.bottleneck is Bottleneck.ARITHMETIC).layer is Layer.SCHEDULE


def test_work_that_is_done_twice_is_named() -> None:
    text = '''def twice(x: f32[256, 256]):
    """Sums of neighbours of a costly function."""

    with compute:
        e[i, j]: f32[256, 256] = exp(x[i, j])
        out[i, j]: f32[250, 256] = sum(e[i + r, j] for r in range(7))
        return out

    with schedule("llvm"):
        parallel(out.i)
        compute_at(e, out.i)
'''
    found = next(
        one
        for one in inspect_text(text).report.findings
        if "computed" in one.message and "times" in one.message
    )
    assert (found.directive, found.layer) == ("compute_at(e, out.i)", Layer.SCHEDULE)
    assert "6.84 times" in found.message


def test_an_operand_that_leaves_the_cache_is_fetched_again() -> None:
    text = MATMUL.replace("256", "1024") + (
        '\n    with schedule("llvm"):\n        jo, jl = split(c.j, 16)\n        io, il = split(c.i, 6)\n'
        "        order(io, jo, c.k, il, jl)\n        parallel(io)\n        unroll(il)\n"
        "        vectorize(jl)\n"
        '\n    with memory("llvm"):\n        accumulate(c, "local")\n'
    )
    estimate = inspect_text(text).estimate
    assert estimate.roots[0].fetched > 50 * 1024 * 1024 * 4


def test_few_blocks_and_odd_warps_are_seen() -> None:
    text = scheduled(
        'bind(c.i, "blockIdx.x")',
        "jo, jl = split(c.j, 48)",
        "order(c.i, jl, jo)",
        'bind(jl, "threadIdx.x")',
        text=MATMUL.replace("256, 256", "8, 256").replace("b: f32[8, 256]", "b: f32[256, 256]"),
        target="cuda",
    )
    messages = " ".join(one.message for one in inspect_text(text, ORIN).report.findings)
    assert "8 blocks for about 16 multiprocessors" in messages
    assert "48 threads a block are no whole warps of 32" in messages


def test_threads_that_lie_apart_are_seen() -> None:
    text = scheduled('bind(c.j, "blockIdx.x")', 'bind(c.i, "threadIdx.x")', target="cuda")
    found = inspect_text(text, ORIN).report.findings
    assert any(
        one.bottleneck is Bottleneck.STRIDE and "read a 256 elements apart" in one.message for one in found
    )
    assert any(one.bottleneck is Bottleneck.STRIDE and "write c" in one.message for one in found)


def test_a_tile_without_shared_memory_is_seen_and_the_default_has_it() -> None:
    text = scheduled(
        "io, il = split(c.i, 16)", "jo, jl = split(c.j, 16)", "order(io, jo, il, jl)",
        'bind(io, "blockIdx.y")', 'bind(jo, "blockIdx.x")',
        'bind(il, "threadIdx.y")', 'bind(jl, "threadIdx.x")',
        target="cuda",
    )  # fmt: skip
    found = inspect_text(text, ORIN).report.findings
    assert any(
        one.bottleneck is Bottleneck.BANDWIDTH and "16 times from global memory" in one.message
        for one in found
    )


PEAKS = Peaks("four", 4, 2e11, ((32768, 2e11), (1 << 24, 2e10)), 1_000.0)


@pytest.mark.parametrize(
    ("text", "roof", "ns"),
    [
        (CONV, Bottleneck.ARITHMETIC, 107_682_048 / 2e11 * 1e9),
        (ADD, Bottleneck.BANDWIDTH, 3 * 4096 * 1024 * 4 / 2e10 * 1e9),
        (ADD.replace("4096, 1024", "64, 16"), Bottleneck.OVERHEAD, 1_000.0),
    ],
    ids=["arithmetic", "bandwidth", "overhead"],
)
def test_measured_peaks_bound_the_time(text: str, roof: Bottleneck, ns: float) -> None:
    facts = verify_compute(parse(text))
    nest = build_nest(facts, "llvm", FOUR_CORES)
    report = inspect_nest(nest, facts.kernel, FOUR_CORES, peaks=PEAKS).report
    assert report.bound_class is roof
    assert report.bound_ns == pytest.approx(ns, rel=0.01)


def test_what_the_compiler_spilled_is_taken_in() -> None:
    facts = verify_compute(parse(CONV))
    nest = build_nest(facts, "llvm", FOUR_CORES)
    found = inspect_nest(nest, facts.kernel, FOUR_CORES, Built(spill_bytes=640)).report.findings
    assert any("640 B" in one.message for one in found)


def test_a_report_reads_well(golden: Golden) -> None:
    text = CONV.replace('        layout(w, "k c r s -> k/8 c r s k%8")\n', "")
    golden("\n".join(render_inspection(inspect_text(text))))


def test_a_report_of_a_gpu_reads_well(golden: Golden) -> None:
    golden("\n".join(render_inspection(inspect_text(MATMUL, ORIN))))


def test_nothing_to_say_is_said() -> None:
    report = inspect_text(CONV).report
    assert render_report(report)
    assert inspection_as_json(inspect_text(CONV))["bound_class"] == "arithmetic"


@pytest.mark.parametrize(
    "workload",
    [
        "network/encoder_layer@r197-d192-a3-f32",
        "network/resnet8@h32-c16-f32",
        "recurrent/lstm@t200-i3-h64-f32",
    ],
)
def test_the_largest_graphs_are_read_in_a_blink(workload: str) -> None:
    facts = verify_compute(load_catalogue().workload(workload).kernel())
    kernel = default_lowering(facts, "llvm", FOUR_CORES)
    nest = build_nest(verify_compute(kernel), "llvm", FOUR_CORES)
    before = time.process_time()
    found = inspect_nest(nest, kernel, FOUR_CORES)
    assert time.process_time() - before < 0.15
    assert 0 < found.estimate.bound <= found.estimate.cycles * 1.01
