"""Models in their own formats as Relax modules.

Called in a child process: parsing what strangers wrote can crash, and a PyTorch module is a program.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tvm import relax

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.compiler.tvm.relax.recurrent import unrolled

OLDEST_OPSET = 7
"""Older ONNX operators broadcast by attributes; TVM's reader does not know them."""

LARGEST_WEIGHTS = 2 << 30
"""Bytes of weights beyond which a model is no edge model; they would be held several times."""

UNREADABLE = "expected an ONNX model"


def read_onnx(path: Path, sizes: Mapping[str, int]) -> tuple[Any, Any]:
    """Read an ONNX file.

    Args:
        path: The file.
        sizes: Values of the sizes that the file leaves open, by name.

    Returns:
        The ONNX model with its sizes filled in, and the Relax module.

    Raises:
        CatalogueError: When it is broken, too old, or has operators or sizes that are not known; the message
            names the node.
    """
    try:
        import onnx  # noqa: PLC0415 - half a second
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - comes with onnx
    except ImportError as error:
        raise PrerequisiteError("ONNX is not installed", "pip install 'edgekernelbench[vendor]'") from error

    try:
        _check_weights(path, onnx.load(str(path), load_external_data=False))
        model = onnx.load(str(path))
        onnx.checker.check_model(model)
    except FileNotFoundError as error:
        raise CatalogueError(
            f"{path.name}: expected the weights beside the model, found no {error.filename}"
        ) from error
    except DecodeError as error:
        with path.open("rb") as file:
            begin = file.read(16)
        raise CatalogueError(f"{path.name}: {UNREADABLE}, found a file that begins with {begin!r}") from error
    except (onnx.checker.ValidationError, ValueError, TypeError) as error:
        raise CatalogueError(f"{path.name}: {UNREADABLE}, found {_first_line(error)}") from error
    _check_opset(path.name, model)
    shapes = _fixed_shapes(path.name, model, sizes)
    plain = unrolled(model)
    _check_operators(path.name, plain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model, _converted(path.name, plain, shapes)


def _converted(name: str, model: Any, shapes: dict[str, list[int]]) -> Any:
    """Let TVM read a checked model; what it cannot read is named with its node."""
    from tvm.relax.frontend.onnx.onnx_frontend import ONNXGraphImporter  # noqa: PLC0415 - imports onnx

    class Importer(ONNXGraphImporter):  # type: ignore[misc]  # TVM is not typed
        """Knows at which node it is."""

        node = "the graph"

        def _convert_operator(self, op_name: str, inputs: Any, attrs: Any, opset: int) -> Any:
            self.node = f"{op_name} ({attrs['tvm_custom']['name']})"
            return super()._convert_operator(op_name, inputs, attrs, opset)

    importer = Importer(shapes, "float32", keep_params_in_input=False, sanitize=True)
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    try:
        return importer.from_onnx(model.graph, opset)
    except (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise CatalogueError(f"{name}: TVM cannot read {importer.node}: {_first_line(error)}") from error


def _check_weights(path: Path, model: Any) -> None:
    """Refuse weights in other files that together are larger than an edge model's."""
    held = [entry for tensor in model.graph.initializer for entry in tensor.external_data]
    total = sum(int(entry.value) for entry in held if entry.key == "length")
    if total > LARGEST_WEIGHTS:
        raise CatalogueError(
            f"{path.name}: expected at most {LARGEST_WEIGHTS >> 30} GiB of weights, found {total:,} bytes"
        )


def read_exported(program: Any) -> Any:
    """Read a PyTorch program that was exported.

    Args:
        program: A `torch.export.ExportedProgram`.

    Raises:
        CatalogueError: When it has operators that TVM does not read; the message names the nodes.
    """
    import tvm.relax.frontend.torch as frontend  # noqa: PLC0415 - imports PyTorch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return frontend.from_exported_program(program, custom_convert_map={"select.int": _select})
        except (NotImplementedError, AssertionError, ValueError) as error:
            raise CatalogueError(f"TVM does not read this program: {_first_line(error)}") from error


def _select(node: Any, importer: Any) -> Any:
    """Read `x.select(dim, index)` as a slice: TVM reads a negative index as one before the tensor."""
    x = importer.env[node.args[0]]
    dim, index = int(node.args[1]), int(node.args[2])
    sizes = [int(size) for size in x.ty.shape.values]
    dim += len(sizes) if dim < 0 else 0
    index += sizes[dim] if index < 0 else 0
    part = relax.op.strided_slice(x, axes=[dim], begin=[index], end=[index + 1])
    return importer.block_builder.emit(relax.op.squeeze(importer.block_builder.emit(part), [dim]))


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _check_opset(name: str, model: Any) -> None:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if not versions or versions[0] < OLDEST_OPSET:
        found = versions[0] if versions else "none"
        raise CatalogueError(
            f"{name}: expected opset {OLDEST_OPSET} or later, found {found}; export the model anew"
        )


def _check_operators(name: str, model: Any) -> None:
    from tvm.relax.frontend.onnx import onnx_frontend as frontend  # noqa: PLC0415 - imports onnx

    known = frontend._get_convert_map()
    strange = [node for node in model.graph.node if node.op_type not in known]
    if strange:
        listed = ", ".join(f"{node.op_type} ({node.name or _place(node)})" for node in strange[:8])
        raise CatalogueError(f"{name}: TVM reads no {listed}; replace them and export the model anew")


def _place(node: Any) -> str:
    return f"gives {node.output[0]}" if node.output else "without a name"


def _fixed_shapes(name: str, model: Any, sizes: Mapping[str, int]) -> dict[str, list[int]]:
    """Fill in the sizes that are open.

    Raises:
        CatalogueError: With the names of those that are missing, or of those given that it does not have.
    """
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    opened: dict[str, None] = {}
    shapes: dict[str, list[int]] = {}
    for value in inputs:
        shape = []
        for place, dim in enumerate(value.type.tensor_type.shape.dim):
            word = dim.dim_param or f"{value.name}.{place}"
            if dim.HasField("dim_value") and dim.dim_value > 0:
                shape.append(dim.dim_value)
            else:
                opened[word] = None
                shape.append(sizes.get(word, 0))
        shapes[value.name] = shape
    strange = sorted(set(sizes) - set(opened))
    if strange:
        there = ", ".join(opened) or "none"
        raise CatalogueError(f"{name}: no open size {', '.join(strange)}; there are {there}")
    missing = [word for word in opened if word not in sizes]
    if missing:
        wanted = " ".join(f"--size {word}=…" for word in missing)
        raise CatalogueError(f"{name}: sizes are open: give {wanted}")
    for value in inputs:
        for dim, size in zip(value.type.tensor_type.shape.dim, shapes[value.name], strict=True):
            dim.dim_value = size
    return shapes
