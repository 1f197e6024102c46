"""Small ONNX models, written node by node."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Draws = np.random.default_rng(7)


def tensor(name: str, *shape: int | str, kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, list(shape))


def weight(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(Draws.standard_normal(shape).astype(np.float32) * 0.3, name)


def save(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    weights: Sequence[onnx.TensorProto] = (),
    opset: int = 17,
) -> Path:
    graph = helper.make_graph(list(nodes), "graph", list(inputs), list(outputs), list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, str(path))
    return path


def small_net(folder: Path, batch: int | str = 1) -> Path:
    """Save two equal blocks of convolution and ReLU, then a classifier."""
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], "first", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], "first_relu"),
        helper.make_node("Conv", ["b", "w2"], ["c"], "second", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["d"], "second_relu"),
        helper.make_node("ReduceMean", ["d"], ["e"], "mean", axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["e", "v"], ["f"], "classify"),
        helper.make_node("Softmax", ["f"], ["y"], "share", axis=1),
    ]
    weights = [weight("w1", 16, 16, 3, 3), weight("w2", 16, 16, 3, 3), weight("v", 16, 60)]
    return save(
        folder / "small net.onnx", nodes, [tensor("x", batch, 16, 8, 8)], [tensor("y", batch, 60)], weights
    )
