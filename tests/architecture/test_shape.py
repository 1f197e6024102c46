"""Rules about the tree itself: sizes, docstrings, no text that becomes code."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "edgekernelbench"
MODULES = sorted(p for p in SRC.rglob("*.py") if "data" not in p.relative_to(SRC).parts)
LONGEST_FILE = 400
LONGEST_FUNCTION = 60


def ids(path: Path) -> str:
    return str(path.relative_to(SRC))


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_no_text_becomes_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not used & {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_only_lang_and_workloads_read_python_syntax() -> None:
    users = {
        path.relative_to(SRC).parts[0]
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(name.name == "ast" for name in node.names)
    }
    # Kernels by lang alone; workloads looks for loops in the catalogue's PyTorch functions.
    assert users <= {"lang", "workloads"}


def test_broad_excepts_are_three() -> None:
    """The top of the worker, the top of the command line, and where code of other packages is called."""
    places = [
        f"{ids(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type)
    ]
    assert len(places) <= 3, places


def _is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(map(_is_broad, caught.elts))
    return caught is None or (isinstance(caught, ast.Name) and caught.id in ("Exception", "BaseException"))
