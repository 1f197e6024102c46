"""Raising: each operator's TIR becomes stages that compute the same, and what cannot be said has a reason."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.conftest import Golden
from tests.imports.relax_functions import fused
from tvm import relax

from edgekernelbench.imports.functions import raise_all, short_name
from edgekernelbench.imports.torch_text import torch_text
from edgekernelbench.imports.walking import draw_inputs, walk_through
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.pytorch import load_function, run_function

pytestmark = [pytest.mark.needs_tvm, pytest.mark.needs_torch]

op = relax.op
IMAGE = ((1, 4, 9, 9), "float32")
ROWS = ((5, 12), "float32")


def weights(*shape: int) -> Any:
    return relax.const(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32) * 0.3)


def taken(table: Any, index: Any) -> Any:
    return op.take(table, index, axis=0, mode="fast")


OPERATORS: dict[str, tuple[Callable[..., Any], Sequence[tuple[Sequence[int], str]]]] = {
    "conv_bias_relu": (
        lambda x: op.nn.relu(op.nn.conv2d(x, weights(6, 4, 3, 3), strides=(2, 2), padding=(1, 1, 1, 1))
                             + weights(1, 6, 1, 1)), [IMAGE]),
    "depthwise": (lambda x: op.nn.conv2d(x, weights(4, 1, 3, 3), padding=(1, 1, 1, 1), groups=4), [IMAGE]),
    "grouped_conv": (lambda x: op.nn.conv2d(x, weights(8, 2, 3, 3), groups=2), [IMAGE]),
    "dilated_conv1d": (lambda x: op.nn.conv1d(x, weights(6, 4, 3), dilation=2), [((1, 4, 20), "float32")]),
    "conv_transpose": (
        lambda x: op.nn.conv2d_transpose(x, weights(4, 3, 4, 4), strides=(2, 2), padding=(1,) * 4), [IMAGE]),
    "max_pool": (lambda x: op.nn.max_pool2d(x, (3, 3), strides=(2, 2), padding=(1, 1, 1, 1)), [IMAGE]),
    "avg_pool": (lambda x: op.nn.avg_pool2d(x, (3, 3), strides=(2, 2), padding=(1, 1, 1, 1)), [IMAGE]),
    "adaptive_pool": (lambda x: op.nn.adaptive_avg_pool2d(x, (2, 2)), [((1, 4, 8, 8), "float32")]),
    "dense": (lambda x: op.matmul(x, weights(12, 7)) + weights(7), [ROWS]),
    "batched_matmul": (lambda a, b: op.matmul(a, op.permute_dims(b, [0, 2, 1])), [((3, 4, 5), "float32"),
                                                                                ((3, 6, 5), "float32")]),
    "softmax": (lambda x: op.nn.softmax(x, -1), [ROWS]),
    "log_softmax": (lambda x: op.nn.log_softmax(x, -1), [ROWS]),
    "layer_norm": (lambda x: op.nn.layer_norm(x, weights(12), weights(12), axes=[-1]), [ROWS]),
    "group_norm": (lambda x: op.nn.group_norm(x, weights(4), weights(4), 2, 1, [2, 3]), [IMAGE]),
    "gelu": (op.nn.gelu, [ROWS]),
    "argmax": (lambda x: op.argmax(x, 1), [ROWS]),
    "running_sum": (lambda x: op.cumsum(x, 1), [ROWS]),
    "mean_of_all": (op.mean, [ROWS]),
    "variance": (lambda x: op.variance(x, [1]), [ROWS]),
    "lookup": (lambda i: taken(weights(30, 8), i), [((6,), "int64")]),
    "reshape_transpose": (lambda x: op.permute_dims(op.reshape(x, (3, 4, 5)), [2, 0, 1]), [ROWS]),
    "concat_split": (lambda a, b: op.split(op.concat([a, b], 1), 3, 1)[1], [ROWS, ROWS]),
    "where": (lambda x: op.where(op.greater(x, relax.const(0.0)), x, x * relax.const(0.1)), [ROWS]),
    "remainder": (lambda x: op.mod(x, relax.const(0.7)), [ROWS]),
    "resized": (lambda x: op.image.resize2d(x, (13, 13), layout="NCHW", method="linear"), [IMAGE]),
    "padded": (lambda x: op.nn.pad(x, (1, 2, 0, 3), "constant", 1.5), [ROWS]),
    "int8_matmul": (lambda a, b: op.matmul(a, b, out_dtype="int32"), [((5, 12), "int8"), ((12, 7), "int8")]),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_raised_computes_the_same_and_so_does_its_pytorch(name: str, tmp_path: Any) -> None:
    make, forms = OPERATORS[name]
    model = fused(make, *forms)
    found = raise_all(model)
    inputs = draw_inputs(model, found, 5)
    walked = walk_through(model, found, inputs)  # compares each text with TVM
    assert [f.reason for f in walked.found] == [""] * len(found)
    if len(found) == 1 and found[0].kernel is not None and len(model.calls) == 1:
        kernel = found[0].kernel
        file = tmp_path / "function.py"
        file.write_text(torch_text(verify_compute(kernel).kernel), encoding="utf-8")
        values = {value.name: array for value, array in zip(model.inputs, inputs, strict=True)}
        values |= {f"const:{n}": array for n, array in enumerate(model.constants)}
        given = [values[arg] for arg in model.calls[0].args]
        (result,) = run_function(load_function(file, kernel.name, {}), given)
        np.testing.assert_allclose(
            result.astype(np.float64), walked.outputs[0].astype(np.float64), rtol=1e-4, atol=1e-5
        )


def test_texts_of_operators_read_as_if_written_by_hand(golden: Golden) -> None:
    texts = [
        print_kernel(f.kernel) if f.kernel else f.reason
        for make, forms in OPERATORS.values()
        for f in raise_all(fused(make, *forms))
    ]
    golden("\n".join(texts))


def test_what_is_sorted_stays_with_tvm_and_says_why() -> None:
    model = fused(lambda x: op.topk(x, 3, 1, ret_type="values"), ROWS)
    (found,) = raise_all(model)
    assert found.kernel is None
    assert found.reason == "a statement of kind Evaluate inside its loops"


def test_an_index_declares_the_range_of_what_it_goes_into() -> None:
    (found,) = raise_all(fused(lambda i: taken(weights(30, 8), i), ((6,), "int64")))
    assert found.kernel is not None
    assert [p.bounds for p in found.kernel.params] == [None, (0, 30)]


def test_slices_of_an_unrolled_loop_leave_its_step_one_function() -> None:
    def steps(x: Any) -> Any:
        parts = [op.strided_slice(x, axes=[0], begin=[t], end=[t + 1]) for t in range(5)]
        total = parts[0]
        for part in parts[1:]:
            total = op.tanh(op.matmul(total, weights(12, 12)) + part)
        return total

    found = raise_all(fused(steps, ROWS))
    assert [len(f.functions) for f in found if "matmul" in f.operators] == [1]


@pytest.mark.parametrize(
    ("operators", "name"),
    [
        (("conv2d", "add", "relu"), "conv_add_relu"),
        (("reshape", "transpose"), "reshape"),
        (("reshape", "matmul", "add", "add", "tir_tanh", "multiply", "add"), "matmul_add_tanh_mul"),
        (("nn.nms",), "nn_nms"),
        (("assert",), "f_assert"),
    ],
    ids=["fused", "moves", "long", "dotted", "word of Python"],
)
def test_a_name_says_what_is_computed(operators: tuple[str, ...], name: str) -> None:
    assert short_name(operators) == name
