"""Short ways to write a kernel and to see what the verifier says of it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Cast, Expr, Literal, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import children, with_children
from edgekernelbench.lang.parse import parse, read
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

TEXTS = sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))

CONV = {"N": 1, "C": 3, "H": 9, "W": 8, "K": 4, "F": 3, "S": 2, "P": 1}
"""Sizes for the pattern among the texts."""


def text(params: str, body: str, outputs: str = "out") -> str:
    """Write a kernel of a compute layer alone.

    Args:
        params: What stands between the brackets of the signature.
        body: Lines of the compute block, without indentation.
        outputs: What is returned.
    """
    lines = [*body.strip("\n").split("\n"), f"return {outputs}"]
    inside = "\n".join("        " + line for line in lines)
    return f"def k({params}):\n    with compute:\n{inside}\n"


def verify(params: str, body: str, outputs: str = "out") -> Facts:
    """Verify a compute layer."""
    return verify_compute(parse(text(params, body, outputs)))


def diagnose(kernel: Kernel) -> tuple[Diagnostic, ...]:
    """Give everything that the verifier says of a kernel, whether it refuses it or not."""
    try:
        return verify_compute(kernel).diagnostics
    except SourceError as error:
        return error.diagnostics


def said(params: str, body: str, outputs: str = "out") -> tuple[Diagnostic, ...]:
    """Give everything that the verifier says of a text."""
    return diagnose(parse(text(params, body, outputs)))


def rendered(params: str, body: str, outputs: str = "out") -> str:
    """Show everything that the verifier says of a text, as people read it."""
    source = text(params, body, outputs)
    return "\n".join(found.render(source, "k.kir") for found in diagnose(parse(source)))


def texts() -> Iterator[tuple[str, Kernel]]:
    """Give the thirty texts, the pattern among them twice."""
    for path in TEXTS:
        source = read(path.read_text(encoding="utf-8"))
        if not source.free:
            yield path.stem, source.bind()
            continue
        for dtype in ("f32", "f16"):
            yield f"{path.stem}-{dtype}", source.bind({**CONV, "T": dtype})


def stage(facts: Facts, name: str) -> Stage:
    """Find a stage of a verified kernel."""
    return next(p.stage for p in placed_stages(facts.kernel.compute) if p.stage.name == name)


def value(facts: Facts, name: str = "out") -> Expr:
    """Give what an element of a stage is, or what it reduces."""
    found = stage(facts, name).value
    return found.element if isinstance(found, Reduction) else found


def typed(node: Expr) -> str:
    """Print an expression with its silent casts and the types of its numbers, such as `i32(x[i]) * 2:i32`."""
    names: dict[str, str] = {}
    return _replace_names(print_expr(_shown(node, names)), names)


def _shown(node: Expr, names: dict[str, str]) -> Expr:
    if isinstance(node, Literal):
        name = f"_{len(names)}_"
        names[name] = f"{node.value}:{node.dtype}"
        return Axis(name, dtype=DType.I32)
    if isinstance(node, Cast):
        node = replace(node, implicit=False)
    return with_children(node, tuple(_shown(part, names) for part in children(node)))


def _replace_names(shown: str, names: dict[str, str]) -> str:
    for name, number in names.items():
        shown = shown.replace(name, number)
    return shown
