"""Which forms of a pattern a library is given: the plain function, or what a practitioner would ship.

Beside `NAME.py` there may be `NAME_vendor.py`, with one or both of

```text
def NAME(x, w, *, SIZE)        the same in PyTorch, as it would be shipped
def NAME_onnx(*, SIZE) -> str  the same as an ONNX graph, in ONNX's own notation, weights among its inputs
```

Sources are only parsed here; they are run in a worker of the judge.
"""

import ast
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.lang.python_text import parse_python
from edgekernelbench.workloads.schema import Workload

LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
HARMLESS = frozenset({"range", "zip", "enumerate", "reversed", "tolist", "unbind", "len"})
"""Names in what a loop goes over that say nothing about how long it is."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What libraries are given for a workload.

    Attributes:
        torch_path: The file with the PyTorch function.
        loops: Whether that function is a Python loop over data: its time says nothing of a library.
        onnx_path: The file with the ONNX graph; None where one is exported from the PyTorch function.
    """

    torch_path: Path
    loops: bool
    onnx_path: Path | None


def forms_of(workload: Workload) -> Forms:
    """Find the forms of a workload's pattern.

    Args:
        workload: The workload.

    Returns:
        Paths, and whether the PyTorch function loops over data.
    """
    pattern = workload.pattern
    special = pattern.torch_path.with_name(f"{pattern.name}_vendor.py")
    text = special.read_text(encoding="utf-8") if special.is_file() else ""
    named = {node.name for node in parse_python(text).body if isinstance(node, ast.FunctionDef)}
    torch_path = special if pattern.name in named else pattern.torch_path
    const = {p.name for p in workload.kernel().params if p.const}
    loops = has_data_loop(torch_path.read_text(encoding="utf-8"), const)
    return Forms(torch_path, loops, special if f"{pattern.name}_onnx" in named else None)


def has_data_loop(text: str, const: Collection[str]) -> bool:
    """Whether a program loops as often as sizes or data say, and not once a layer or colour.

    Args:
        text: The program.
        const: Names of constant parameters: a loop over those alone goes over layers.

    Returns:
        True when some loop inside a function goes over more than literals, tuples and lists that are
        written out, names in capitals that the module binds, and constant parameters.
    """
    tree = parse_python(text)
    bound = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    known = bound | set(const) | HARMLESS
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return any(
        _goes_over_data(node, known | _counts(function, known))
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, LOOPS)
    )


def _counts(function: ast.FunctionDef, known: Collection[str]) -> set[str]:
    """Give the names that a function binds to something made of known names, such as a count of layers."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _names(node.value) <= {*known, *found}:
            found |= {name for target in node.targets for name in _bound(target)}
    return found


def _bound(target: ast.expr) -> set[str]:
    """Give the names that an assignment binds: one to an element binds none."""
    match target:
        case ast.Name(id=name):
            return {name}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in _bound(part)}
        case ast.Starred(value=part):
            return _bound(part)
        case _:
            return set()


def _names(part: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


def _goes_over_data(loop: ast.AST, known: Collection[str]) -> bool:
    match loop:
        case ast.For(iter=over):
            sources = [over]
        case ast.While():
            return True
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            sources = [part.iter for part in loop.generators]
        case _:
            return False
    return any(not _is_written_out(source) and not _names(source) <= set(known) for source in sources)


def _is_written_out(over: ast.AST) -> bool:
    """Whether a loop goes over a tuple or list with its elements, `(q, k, v)`: as often as there are some."""
    return isinstance(over, ast.Tuple | ast.List) and not any(isinstance(e, ast.Starred) for e in over.elts)
