"""The catalogue of an imported model: a pattern and a workload for each function that was raised."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from edgekernelbench.imports.torch_text import torch_text
from edgekernelbench.imports.walking import Lying, rounds
from edgekernelbench.ir.compute import Param, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Expr, Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import ROWS_FILE, VERSION_FILE
from edgekernelbench.workloads.draws import Draw, Normal, Uniform, Weights
from edgekernelbench.workloads.guesses import guess_accumulation, guess_draw

CONFINING = frozenset({"sqrt", "rsqrt", "log", "log2", "pow"})
LEAST_STD = 0.01
MOST = 1e3


@dataclass(frozen=True, slots=True)
class Entry:
    """One raised function, ready to be written.

    Attributes:
        name: The name of its pattern.
        text: Its compute layer.
        operators: What was fused.
        runs: How often the model calls it.
        lying: How the values of each parameter lie.
    """

    name: str
    text: str
    operators: tuple[str, ...]
    runs: int
    lying: tuple[Lying, ...]


def write_catalogue(folder: Path, family: str, source: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Write patterns and workloads.

    Args:
        folder: Where the catalogue begins.
        family: Name of the family, one a model.
        source: What was imported, for people.
        entries: The functions.

    Returns:
        The id of each one's workload, by name.
    """
    place = folder / family
    place.mkdir()
    rows: dict[str, str] = {}
    ids: dict[str, str] = {}
    for entry in entries:
        kernel = _documented(parse(entry.text), entry, source)
        facts = verify_compute(kernel)
        (place / f"{entry.name}.kir").write_text(print_kernel(kernel), encoding="utf-8")
        (place / f"{entry.name}.py").write_text(torch_text(facts.kernel), encoding="utf-8")
        output = {p.stage.name: p.stage for p in placed_stages(kernel.compute)}[kernel.compute.outputs[0]]
        ids[entry.name] = (
            f"{family}/{entry.name}@{'x'.join(map(str, output.shape)) or 'scalar'}-{output.dtype}"
        )
        rows[ids[entry.name]] = "\n".join(_row(ids[entry.name], kernel, output.dtype, entry, source))
    small = "[small]\n" + "\n".join(f"{name} = {{}}" for name in sorted(e.name for e in entries))
    text = "\n\n".join([small, *(rows[key] for key in sorted(rows))]) + "\n"
    (place / ROWS_FILE).write_text(text, encoding="utf-8")
    (folder / VERSION_FILE).write_text("1\n", encoding="utf-8")
    return ids


def _documented(kernel: Kernel, entry: Entry, source: str) -> Kernel:
    params = ", ".join(f"{p.name} {_form(p.dtype, p.shape)}" for p in kernel.params) or "no parameter"
    stages = {p.stage.name: p.stage for p in placed_stages(kernel.compute)}
    outs = ", ".join(
        f"{name} {_form(stages[name].dtype, stages[name].shape)}" for name in kernel.compute.outputs
    )
    doc = (
        f"{entry.name}: {', '.join(entry.operators)}.\n\n"
        f"Shapes: {params}; {outs}.\nSource: a fused function of {source}, called {entry.runs} times a run."
    )
    return replace(kernel, name=entry.name, doc=doc)


def _form(dtype: DType, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else str(dtype)


def _row(workload: str, kernel: Kernel, dtype: DType, entry: Entry, source: str) -> Iterator[str]:
    yield "[[workload]]"
    yield f'id = "{workload}"'
    yield "sizes = {}"
    yield f'accumulate = "{guess_accumulation(kernel, dtype)}"'
    if dtype.is_int and rounds(kernel):
        yield "tolerance_lsb = 1"
    yield 'domain = "linear-algebra"'
    yield f'level = "{"fused" if len(entry.operators) > 1 else "operator"}"'
    yield f'source = "a fused function of {source}"'
    yield "[workload.inputs]"
    summed, confined = _summed(kernel), _confined(kernel)
    lying = entry.lying or (None,) * len(kernel.params)
    for param, lies in zip(kernel.params, lying, strict=True):
        yield f"{param.name} = {_draw_text(_draw(param, lies, summed, confined))}"


def _summed(kernel: Kernel) -> set[str]:
    """List the tensors that sums read."""
    return {
        node.tensor
        for placed in placed_stages(kernel.compute)
        if isinstance(placed.stage.value, Reduction)
        for root in expressions(placed.stage.value)
        for node in walk(root)
        if isinstance(node, Read)
    }


def _confined(kernel: Kernel) -> set[str]:
    """List the tensors that a root, a logarithm, a power or a division hangs on: their sign may matter."""
    found: set[str] = set()
    for placed in reversed(list(placed_stages(kernel.compute))):
        stage = placed.stage
        for root in expressions(stage.value):
            for node in walk(root):
                match node:
                    case Call(function=name, args=(first, *_)) if name in CONFINING:
                        found |= _read_in(first)
                    case Binary(op="/", right=right):
                        found |= _read_in(right)
                    case _:
                        pass
            if stage.name in found:
                found |= _read_in(root)
    return found


def _read_in(node: Expr) -> set[str]:
    return {part.tensor for part in walk(node) if isinstance(part, Read)}


def _draw(param: Param, lies: Lying | None, summed: set[str], confined: set[str]) -> Draw:
    """Choose a draw: as the values of the model lie, or scaled weights where a sum reads them."""
    guess = guess_draw(param)
    weights = isinstance(guess, Weights) and param.name in summed
    if lies is None or not param.dtype.is_float or weights:
        return guess
    if lies.low > 0 and param.name in confined:
        low, high = _near(lies.low), _near(lies.high)
        return Uniform(draw="uniform", low=low, high=high if high > low else low * 1.5)
    mean, std = _near(lies.mean), _near(lies.std)
    return Normal(draw="normal", mean=mean, std=max(LEAST_STD, std))


def _near(value: float) -> float:
    return max(-MOST, min(MOST, float(f"{value:.2g}")))


def _draw_text(draw: Draw) -> str:
    fields: Mapping[str, object] = draw.model_dump(exclude_defaults=True)
    parts = [
        f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value!r}"
        for key, value in fields.items()
    ]
    return f"{{ {', '.join(parts)} }}"
