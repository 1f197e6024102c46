"""The hand-written kernels: legal, right at full size, and wrong as soon as one constant is."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.tvm.compiler import TvmCompiler
from edgekernelbench.evaluator.compare import Closeness, Expected, compare, expect
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.reference import compute_reference

KERNELS = Path(__file__).parents[2] / "examples" / "kernels"
WORKLOADS = sorted(f"{path.parent.name}/{path.stem}" for path in KERNELS.glob("*/*.kir"))

MUTANTS = {
    "conv/conv2d_q8@c32-k32-h16-f3s1-i8": (r"= -128, -5", "= -127, -5"),
    "conv/conv_transpose2d@c56-k1-h42-f9s3-f32": (r"\(p \+ 1\) % 3", "(p + 2) % 3"),
    "conv/dilated_conv2d@c32-h45-d8-f32": (r"\[0\.5, 0\.5, 0\.5\]", "[0.75, 0.5, 0.5]"),
    "conv/pointwise_relu6@c24-k144-h56-f32": (r"0\.0, 6\.0", "0.0, 4.0"),
    "detection/iou_matrix@n300-m257-f32": (r"turned\[1, j\]", "turned[0, j]"),
    "detection/nms@n3549-m20-f32": (r"20, 0\.5", "20, 0.75"),
    "health/qrs_energy@c2-t6000-w30-i64": (r">> 5", ">> 4"),
    "image/resize_bilinear@c21-h33-o260-f32": (r"SY - 0\.5", "SY - 0.75"),
    "isp/bilateral_filter@h120-w160-r3-f32": (r"50\.0", "75.0"),
    "isp/demosaic_malvar@h154-w204-u16": (r"12 \* pad", "11 * pad"),
    "isp/integral_image@h243-w321-u8": (r"four\[i, j \+ 12\]", "four[i, j + 11]"),
    "linear/gemv_i4@n1536-k576-g32-i4": (r"24\.0", "36.0"),
    "linear/matmul@m197-k192-n576-f32": (r"range\(K\)", "range(K - 1)"),
    "norm/layer_norm@r577-d384-f32": (r"\* \(1 / D\)\n", "* (1.5 / D)\n"),
    "norm/softmax@r591-n197-f32": (r"0\.24022120237350464", "0.36"),
    "points/farthest_point_sampling@n1024-s512-f32": (r"p\[pick\[s - 1\], 2\]", "p[pick[s - 1], 1]"),
    "points/nearest_neighbour@n1013-m1024-f32": (r"b\[j, 2\]", "b[j, 1]"),
    "pool/max_pool2d@c128-h20-w5s1-f16": (r"p \+ 4 \* V", "p + 3 * V"),
    "recurrent/lstm@t200-i3-h64-f32": (r"0\.24022120237350464", "0.36"),
    "sensing/despike_average@c19-n1543-w25-f32": (r"1 / 25", "1 / 24"),
    "sequence/cumsum@r60-n4000-f32": (r"1\.0 if q", "1.5 if q"),
    "sequence/dtw@n98-m75-d13-f32": (r"s - i >= M ", "s - i >= M - 1 "),
    "signal/autocorrelation@r49-n640-l320-f32": (r"j \+ s < N else 0\.0", "j + s < N else 1.5"),
    "signal/biquad_cascade@n12-t5000-s2-f32": (r"q\[0, 4\]", "q[0, 3]"),
    "signal/biquad_cascade@n2-t4800-s5-f32": (r"q\[m // N - 1, 2\]", "q[m // N - 1, 1]"),
    "signal/dft_complex@r12-n300-f32": (r"2\.0 \* pi / A", "3.0 * pi / A"),
    "signal/dft_complex@r64-n149-f32": (r"2\.0 \* pi / N", "3.0 * pi / N"),
    "signal/fir_decimate_q15@c2-n24059-l60-d3-i16": (r"-15", "-14"),
    "signal/goertzel@b156-n205-f32": (r"1336", "1337"),
    "signal/mel_spectrogram@s16000-n640-m40-f32": (r"0\.5 - 0\.5", "0.5 - 0.75"),
    "signal/welch_psd@c22-t1125-n256-f32": (r"8 / \(3", "12 / (3"),
}
"""For each example what to look for, and what stands there when one constant is wrong."""

pytestmark = pytest.mark.needs_tvm


def text_of(workload: str) -> str:
    return (KERNELS / f"{workload}.kir").read_text(encoding="utf-8")


@cache
def expected(workload: str) -> tuple[Expected, ...]:
    found = load_catalogue().workload(workload)
    reference = compute_reference(found, make_inputs(found, 1))
    return tuple(
        expect(*one) for one in zip(reference.facts, reference.outputs, reference.declared, strict=True)
    )


def run(workload: str, text: str) -> list[Closeness]:
    """Compile a text for this machine, run it on typical inputs, and compare as the judge does."""
    profile = load_profile("llvm")
    nest = build_nest(verify_compute(parse(text)), "llvm", profile)
    executable = TvmCompiler().compile(nest, profile).executable
    assert executable is not None
    inputs = make_inputs(load_catalogue().workload(workload), 1)
    params = [place_array(b, np.atleast_1d(a)) for b, a in zip(nest.params, inputs, strict=True)]
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    executable.prepare(params)
    executable.run(params, outputs)
    return [compare(found, wanted) for found, wanted in zip(outputs, expected(workload), strict=True)]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_example_is_right_at_full_size(workload: str) -> None:
    assert [c.mismatch for c in run(workload, text_of(workload)) if c.mismatch] == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_one_wrong_constant_is_found(workload: str) -> None:
    pattern, instead = MUTANTS[workload]
    mutant, count = re.subn(pattern, instead, text_of(workload), count=1)
    assert count == 1
    assert any(c.mismatch for c in run(workload, mutant))


def test_every_workload_of_the_quick_suite_has_an_example() -> None:
    quick = {w.id for w in load_catalogue().select((), suite="quick")}
    assert quick <= set(WORKLOADS)


def test_every_example_is_in_the_table() -> None:
    table = (KERNELS / "README.md").read_text(encoding="utf-8")
    assert [w for w in WORKLOADS if f"`{w}`" not in table] == []
