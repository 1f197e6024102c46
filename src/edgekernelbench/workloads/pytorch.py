"""Loading the PyTorch functions of the catalogue, and arrays to tensors and back.

The files are data of this package, written by us and hashed with the catalogue; they are loaded by
path, since a folder of several hundred of them is no package. Nothing a model writes comes here.
"""

import importlib.util
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError

Array = NDArray[np.generic]


def load_function(path: Path, name: str, sizes: Mapping[str, object]) -> Callable[..., Any]:
    """Load a function and bind its keyword-only parameters to sizes of the same name.

    Args:
        path: The file.
        name: The function's name.
        sizes: Values of the capitals; those that the function does not ask for are left out.

    Returns:
        A function of tensors.

    Raises:
        PrerequisiteError: When PyTorch is not installed.
        CatalogueError: When the file has no such function, or it asks for an unknown size.
    """
    _require_torch()
    spec = importlib.util.spec_from_file_location(f"edgekernelbench_pattern_{name}", path)
    if spec is None or spec.loader is None:
        raise CatalogueError(f"{path.name}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise CatalogueError(f"{path.name}: expected a function {name}, found none")
    wanted = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    unknown = [word for word in wanted if word not in sizes]
    if unknown:
        words = ", ".join(unknown)
        raise CatalogueError(f"{path.name}: {name} asks for {words}, which the pattern does not have")
    return partial(function, **{word: sizes[word] for word in wanted})


def to_tensor(array: Array) -> Any:
    """Make a tensor that shares the memory of an array; `i4` arrays are `int8` tensors.

    Args:
        array: Any array of `make_inputs`.

    Returns:
        A CPU tensor of the same type and shape.
    """
    torch = _require_torch()
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_tensor(tensor: Any) -> Array:
    """Make an array of a tensor's values.

    Args:
        tensor: A tensor on any device.

    Returns:
        An array of the same type and shape.
    """
    torch = _require_torch()
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype is torch.bfloat16:
        bits: Array = tensor.view(torch.int16).numpy()
        return bits.view(ml_dtypes.bfloat16)
    values: Array = tensor.numpy()
    return values


def run_function(function: Callable[..., Any], inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Call a PyTorch function of the catalogue on arrays.

    Args:
        function: What `load_function` gave.
        inputs: One array a parameter.

    Returns:
        One array an output.
    """
    torch = _require_torch()
    with torch.no_grad():
        result = function(*(to_tensor(array.copy()) for array in inputs))
    outputs = result if isinstance(result, tuple) else (result,)
    return tuple(from_tensor(output) for output in outputs)


def _require_torch() -> Any:
    """Import PyTorch on first use: it takes a second, and the light install has none."""
    try:
        import torch  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError("PyTorch is not installed", "pip install 'edgekernelbench[torch]'") from error
    return torch
