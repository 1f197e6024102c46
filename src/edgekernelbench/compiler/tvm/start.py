"""Importing TVM, and nothing else with it."""

import sys

from edgekernelbench.base.errors import PrerequisiteError

REMEDY = "pip install 'edgekernelbench[tvm]'"

RUNTIME_ONLY = {"TVM_USE_RUNTIME_LIB": "1"}
"""Environment of processes that only run what was compiled elsewhere: TVM then leaves its compiler alone."""


def import_tvm() -> None:
    """Import TVM without PyTorch, which it would import where it finds it: two seconds, and a second pool.

    Raises:
        PrerequisiteError: When TVM is missing.
    """
    hidden = "torch" not in sys.modules
    if hidden:
        sys.modules["torch"] = None  # type: ignore[assignment]  # what Python takes for "there is none"
    try:
        import tvm  # noqa: F401, PLC0415
    except ImportError as error:
        raise PrerequisiteError(f"Apache TVM cannot be imported ({error})", REMEDY) from error
    finally:
        if hidden:
            del sys.modules["torch"]
