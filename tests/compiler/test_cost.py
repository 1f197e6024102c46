from tests.compiler.hand import HOST
from tests.compiler.kernels import convolution
from tests.interp.texts import facts_of

from edgekernelbench.compiler.cost import report_nest
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile


def test_a_convolution_is_counted_by_hand() -> None:
    c, k, h, w = 4, 32, 6, 28
    report = report_nest(convolution(c, k, h, w), HOST)
    products = 2 * 9 * c * k * h * w
    # padding chooses once an element; the end adds twice, compares and chooses
    assert report.count.flops == products + c * (h + 2) * (w + 2) + 4 * k * h * w
    assert report.count.vector_ops == products
    assert report.vector_lanes == 16
    assert report.parallel_extent == k // 16 * h
    assert report.input_bytes == 4 * (c * h * w + k + k * c * 9)
    assert report.output_bytes == 4 * k * h * w
    assert report.prepared_bytes == 4 * k * c * 9
    assert report.workspace == {"global": 4 * c * (h + 2) * (w + 2), "local": 4 * 14 * 16}


def test_index_arithmetic_is_not_counted() -> None:
    facts = facts_of("histogram")
    report = report_nest(build_nest(facts, "llvm", HOST), HOST)
    assert report.count.flops == 0


def test_the_nest_of_a_gpu_has_a_report_too() -> None:
    profile = load_profile("opencl")
    report = report_nest(build_nest(facts_of("softmax"), "opencl", profile), profile)
    assert report.count.flops > 0
    assert report.intensity > 0
