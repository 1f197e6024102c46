"""PyTorch modules and problem files: how the child makes an exported program and its inputs of one.

Everything here runs code of others; only `imports.child` calls it, in a process of its own.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.workloads.problem_files import with_sizes

PREFIX = "pkg:"


def load_program(source: str, sizes: Mapping[str, int], scratch: Path) -> tuple[Any, tuple[Any, ...]]:
    """Make the module that a word stands for, and inputs for it.

    Args:
        source: `pkg:module:Class`, or a file with a `Model`, `get_inputs` and perhaps `get_init_inputs`.
        sizes: Values for names that the file binds to numbers at its top.
        scratch: A folder for the file with other sizes.

    Returns:
        The module in evaluation mode, and its inputs.

    Raises:
        CatalogueError: When there is no such module or class, or nothing says what it takes.
    """
    try:
        import torch  # noqa: PLC0415 - two seconds
    except ImportError as error:
        raise PrerequisiteError("PyTorch is not installed", "pip install 'edgekernelbench[torch]'") from error
    torch.manual_seed(0)
    if source.startswith(PREFIX):
        name, _, word = source.removeprefix(PREFIX).partition(":")
        sys.path.insert(0, str(Path.cwd()))
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise CatalogueError(
                f"{source}: {error}; expected pkg:module:Class, found from this folder"
            ) from error
        if sizes:
            raise CatalogueError(f"{source}: sizes of a class are what `get_inputs` of its module says")
    else:
        word = "Model"
        module = _load_file(Path(source), sizes, scratch)
    kind = getattr(module, word, None)
    if not inspect.isclass(kind) or not issubclass(kind, torch.nn.Module):
        raise CatalogueError(f"{source}: expected a torch.nn.Module {word}, found {kind!r}")
    make = getattr(module, "get_inputs", None)
    if not callable(make):
        raise CatalogueError(
            f"{source}: expected a function get_inputs beside {word}, which gives a list of tensors"
        )
    made: Sequence[Any] = getattr(module, "get_init_inputs", list)()
    model: Any = kind(*made[0], **made[1]) if _is_named(made) else kind(*made)
    return model.eval(), tuple(make())


def _is_named(made: Sequence[Any]) -> bool:
    return len(made) == 2 and isinstance(made[0], list | tuple) and not made[0] and isinstance(made[1], dict)


def _load_file(path: Path, sizes: Mapping[str, int], scratch: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    changed = scratch / path.name
    changed.write_text(with_sizes(text, sizes, path.name), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"edgekernelbench_problem_{path.stem}", changed)
    if spec is None or spec.loader is None:
        raise CatalogueError(f"{path.name}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    spec.loader.exec_module(module)
    return module


def export_program(model: Any, inputs: tuple[Any, ...]) -> Any:
    """Export a module with `torch.export`.

    Raises:
        CatalogueError: When PyTorch cannot; the message says what it says.
    """
    import torch  # noqa: PLC0415
    from torch._dynamo.exc import Unsupported, UserError  # noqa: PLC0415

    try:
        with torch.no_grad():
            return torch.export.export(model, inputs)
    except (UserError, Unsupported, RuntimeError) as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), "nothing")
        raise CatalogueError(f"torch.export cannot export {type(model).__name__}: {first}") from error
