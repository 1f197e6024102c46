"""From the word for a model to its fused functions, and to what its own framework gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.compiler.tvm.relax.fusing import FusedModel, fuse
from edgekernelbench.compiler.tvm.relax.reading import read_exported, read_onnx
from edgekernelbench.imports.programs import export_program, load_program
from edgekernelbench.workloads.pytorch import from_tensor, to_tensor

Array = NDArray[np.generic]
Run = Callable[[tuple[Array, ...]], tuple[Array, ...]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A model, read and fused.

    Attributes:
        fused: Its functions and calls.
        nodes: Names of its nodes by operator, in small letters without underscores.
        framework: What `run` is.
        run: The model as its own framework runs it; None where that is not installed.
        inputs: Inputs that came with it; None where they must be drawn.
    """

    fused: FusedModel
    nodes: Mapping[str, tuple[str, ...]]
    framework: str
    run: Run | None
    inputs: tuple[Array, ...] | None


def open_model(kind: str, source: str, sizes: Mapping[str, int], scratch: Path) -> Opened:
    """Read and fuse a model.

    Args:
        kind: `onnx`, or `torch` for a class or a problem file.
        source: What the user typed.
        sizes: Values of sizes that are open.
        scratch: A folder to write to.

    Raises:
        CatalogueError: When it cannot be read; the message says why.
    """
    if kind == "onnx":
        proto, module = read_onnx(Path(source), sizes)
        named = [(node.op_type, node.name or f"gives {node.output[0]}") for node in proto.graph.node]
        return Opened(fuse(module), _by_operator(named), "ONNX Runtime", _onnx_runtime(proto), None)
    program, given = load_program(source, sizes, scratch)
    exported = export_program(program, given)
    inputs = tuple(from_tensor(tensor) for tensor in given)
    calls = [node for node in exported.graph.nodes if node.op == "call_function"]
    named = [(str(node.target).split(".")[1 if "." in str(node.target) else 0], node.name) for node in calls]
    return Opened(fuse(read_exported(exported)), _by_operator(named), "PyTorch", _pytorch(program), inputs)


def _by_operator(named: Sequence[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    nodes: dict[str, tuple[str, ...]] = {}
    for operator, name in named:
        key = plain(operator)
        nodes[key] = (*nodes.get(key, ()), name)
    return nodes


def plain(operator: str) -> str:
    """Write the name of an operator as ONNX, PyTorch and TVM agree on it."""
    return operator.lower().replace("_", "")


def _onnx_runtime(proto: Any) -> Run | None:
    try:
        import onnxruntime  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # As the model says: rearranged, pairs of Quantize and Dequantize would be computed in whole numbers.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in session.get_inputs()]

    def run(inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(map(np.asarray, session.run(None, dict(zip(names, inputs, strict=True)))))

    return run


def _pytorch(program: Any) -> Run:
    import torch  # noqa: PLC0415 - two seconds
    from torch.utils import _pytree as trees  # noqa: PLC0415

    def run(inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        with torch.no_grad():
            result = program(*(to_tensor(array.copy()) for array in inputs))
        leaves = trees.tree_leaves(result)
        return tuple(from_tensor(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor))

    return run
