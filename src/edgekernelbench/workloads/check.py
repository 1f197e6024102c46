"""What the catalogue promises, checked: ids, texts, inputs, and agreement with PyTorch."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import CatalogueError, EkbError
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse, read
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.bounds import derived_sizes
from edgekernelbench.workloads.catalogue import Catalogue
from edgekernelbench.workloads.draws import Requant, RequantShift
from edgekernelbench.workloads.held_out import hold_out
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.limits import RMS_RATIO, ROUNDOFF
from edgekernelbench.workloads.pytorch import run_function
from edgekernelbench.workloads.reference import OutputFacts, Reference, compute_reference, output_facts
from edgekernelbench.workloads.sampling import STANDARD, Distribution
from edgekernelbench.workloads.schema import Pattern, Workload

Array = NDArray[np.generic]

HEADINGS = ("Shapes:", "Source:")
SEED = 20_260


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise.

    Attributes:
        place: Id of the pattern or workload.
        message: What was expected, what was found.
    """

    place: str
    message: str


def check_catalogue(
    catalogue: Catalogue,
    workloads: Sequence[Workload] | None = None,
    *,
    full_size: bool = True,
    progress: Callable[[str], None] | None = None,
) -> tuple[Finding, ...]:
    """Check a catalogue.

    Args:
        catalogue: What to check.
        workloads: Those to evaluate; None means all.
        full_size: Whether to evaluate the real sizes, on which outputs must vary too, instead of the
            small twins.
        progress: Called with the id of each workload before it is evaluated; None for silence.

    Returns:
        Everything that is wrong; empty when all is well.

    Raises:
        PrerequisiteError: When PyTorch is not installed.
    """
    findings = [*check_names(catalogue), *(f for p in catalogue.patterns for f in check_pattern(p))]
    for workload in catalogue.workloads if workloads is None else workloads:
        if progress is not None:
            progress(workload.id)
        text = tuple(check_text(workload))
        findings += text
        if not text:
            findings += check_values(workload if full_size else workload.twin())
            findings += check_variation(workload) if full_size else ()
            findings += check_held_out(workload)
    return tuple(findings)


def check_names(catalogue: Catalogue) -> Iterator[Finding]:
    """Check that ids are unique, sorted, used and consistent."""
    words = Counter([*(w.id for w in catalogue.workloads), *(p.name for p in catalogue.patterns)])
    yield from (Finding(word, f"expected a unique name, found {n}") for word, n in words.items() if n > 1)
    used = {w.pattern.id for w in catalogue.workloads}
    idle = [p.id for p in catalogue.patterns if p.id not in used]
    yield from (Finding(pattern_id, "expected a workload of it, found none") for pattern_id in idle)
    levels: dict[str, str] = {}
    seen: dict[tuple[object, ...], str] = {}
    for w in catalogue.workloads:
        if levels.setdefault(w.pattern.id, w.level) != w.level:
            yield Finding(w.id, f"expected level {levels[w.pattern.id]} as its pattern has, found {w.level}")
        key = (w.pattern.id, *sorted((name, str(size)) for name, size in w.sizes.items()))
        if seen.setdefault(key, w.id) != w.id:
            yield Finding(w.id, f"expected sizes of its own, found those of {seen[key]}")


def check_pattern(pattern: Pattern) -> Iterator[Finding]:
    """Check the form of a pattern's two files."""
    try:
        text = read(pattern.source_text)
    except EkbError as error:
        yield Finding(pattern.id, str(error))
        return
    doc = pattern.source_text.partition('"""')[2].partition('"""')[0]
    if not doc.startswith(f"{pattern.name}: "):
        yield Finding(pattern.id, f"expected a docstring that starts with its name, found {doc[:40]!r}")
    missing = [word for word in HEADINGS if word not in doc]
    yield from (Finding(pattern.id, f"expected {word} in the docstring") for word in missing)
    if "with schedule" in text.source or "with memory" in text.source:
        yield Finding(pattern.id, "expected the compute layer alone")
    if not text.source.startswith(f"def {pattern.name}("):
        yield Finding(pattern.id, f"expected a function named {pattern.name}")


def check_text(workload: Workload) -> Iterator[Finding]:
    """Check that a workload binds, verifies, prints canonically and draws what its kernel takes."""
    free = set(read(workload.pattern.source_text).free)
    for word in sorted(free ^ set(workload.sizes)):
        problem = "a value for" if word in free else "no value for"
        yield Finding(workload.id, f"expected {problem} {word}")
    try:
        kernel = workload.kernel()
        verified = verify_compute(kernel)
    except EkbError as error:
        yield Finding(workload.id, str(error))
        return
    yield from (Finding(workload.id, f"{d.code}: {d.message}") for d in verified.diagnostics)
    if parse(print_kernel(kernel)) != kernel:
        yield Finding(workload.id, "expected the printed text to read back as the same kernel")
    if workload.dtype not in {p.dtype for p in kernel.params} | _output_types(kernel):
        yield Finding(workload.id, f"expected a parameter or output of type {workload.dtype}, found none")
    yield from _check_draws(workload, kernel)


def _check_draws(workload: Workload, kernel: Kernel) -> Iterator[Finding]:
    names = [p.name for p in kernel.params]
    for name in sorted(set(names) ^ set(workload.inputs)):
        problem = "a draw for" if name in names else "no draw for"
        yield Finding(workload.id, f"expected {problem} {name}")
    for name, draw in workload.inputs.items():
        if isinstance(draw, Requant | RequantShift) and draw.of not in names:
            yield Finding(workload.id, f"{name}: expected the name of weights, found {draw.of}")
    signature = inspect.signature(workload.torch_function()).parameters.values()
    tensors = [p.name for p in signature if p.kind is p.POSITIONAL_OR_KEYWORD]
    if tensors != names:
        wanted, found = ", ".join(names), ", ".join(tensors)
        yield Finding(workload.id, f"expected a PyTorch function of {wanted}, found {found}")


def check_held_out(workload: Workload, seed: int = SEED) -> Iterator[Finding]:
    """Check that a row lies within its pattern's bounds, and that what they allow is legal and right.

    The real sizes are redrawn and proven; those of the small twin are redrawn and compared with PyTorch, on
    typical inputs.
    """
    bounds = workload.pattern.bounds
    strange = [name for name in bounds if name not in workload.sizes]
    if strange:
        yield Finding(workload.id, f"expected bounds of sizes, found some of {', '.join(strange)}")
        return
    twin = workload.twin()
    try:
        for row in (workload, twin):
            derived = derived_sizes(row.sizes, bounds, row.id)
            for name, value in derived.items():
                if value != row.sizes[name]:
                    expected = f"{name} = {bounds[name]} = {value}"
                    yield Finding(row.id, f"expected {expected}, found {row.sizes[name]}")
        hold_out(workload, seed)
        redrawn = hold_out(twin, seed)
    except CatalogueError as error:
        yield Finding(workload.id, str(error))
        return
    yield from check_values(redrawn, STANDARD[:1])


def check_values(workload: Workload, distributions: Sequence[Distribution] = STANDARD) -> Iterator[Finding]:
    """Check that inputs are the same bytes again and that the text agrees with PyTorch on them."""
    for distribution in distributions:
        inputs = make_inputs(workload, SEED, distribution)
        again = make_inputs(workload, SEED, distribution)
        if any(a.tobytes() != b.tobytes() for a, b in zip(inputs, again, strict=True)):
            yield Finding(workload.id, f"{distribution}: expected the same bytes for the same seed")
        outputs = run_function(workload.torch_function(), inputs)
        reference = compute_reference(workload, inputs)
        yield from _check_agreement(workload.id, f"{distribution}: ", reference, outputs)


def check_variation(workload: Workload) -> Iterator[Finding]:
    """Check that outputs vary over elements, distributions and seeds; tiny twins cannot promise it."""
    first = _reference_outputs(workload, SEED, STANDARD[0])
    for distribution in STANDARD:
        outputs = first if distribution is STANDARD[0] else _reference_outputs(workload, SEED, distribution)
        yield from _check_spread(workload, f"{distribution}: ", outputs)
        if outputs is not first and _equal(first, outputs):
            yield Finding(workload.id, f"{distribution}: expected other outputs than for {STANDARD[0]}")
    if _equal(first, _reference_outputs(workload, SEED + 1, STANDARD[0])):
        yield Finding(workload.id, "expected other outputs for another seed")


def _reference_outputs(workload: Workload, seed: int, distribution: Distribution) -> tuple[Array, ...]:
    facts = verify_compute(workload.kernel())
    inputs = make_inputs(workload, seed, distribution)
    named = {param.name: array for param, array in zip(facts.kernel.params, inputs, strict=True)}
    return evaluate(facts, named)


def _check_agreement(
    place: str, prefix: str, reference: Reference, outputs: Sequence[Array]
) -> Iterator[Finding]:
    if len(outputs) != len(reference.outputs):
        counts = f"expected {len(reference.outputs)} outputs of PyTorch, found {len(outputs)}"
        yield Finding(place, prefix + counts)
        return
    rows = zip(reference.facts, reference.outputs, reference.declared, outputs, strict=True)
    for facts, wanted, declared, found in rows:
        if wanted.shape != found.shape:
            yield Finding(place, f"{prefix}{facts.name}: expected shape {wanted.shape}, found {found.shape}")
            continue
        error, allowed = _error(facts, wanted, declared, found)
        if not error <= allowed:
            text = f"expected PyTorch within {allowed:.3g} of the reference, found {error:.3g}"
            yield Finding(place, f"{prefix}{facts.name}: {text}")


def _error(facts: OutputFacts, wanted: Array, declared: Array, found: Array) -> tuple[float, float]:
    """Give the distance and what is allowed: largest step for integers, root mean square for floats."""
    if not facts.dtype.is_float:
        return float(np.max(np.abs(wanted.astype(np.int64) - found.astype(np.int64)))), facts.tolerance_lsb
    floor = ROUNDOFF[facts.dtype] * facts.scale
    return _distance(found, wanted), RMS_RATIO * max(_distance(declared, wanted), floor)


def _check_spread(workload: Workload, prefix: str, outputs: Sequence[Array]) -> Iterator[Finding]:
    place = workload.id
    for facts, values in zip(output_facts(workload, outputs), outputs, strict=True):
        numbers = values.astype(np.float64)
        if not np.isfinite(numbers).all():
            yield Finding(place, f"{prefix}{facts.name}: expected finite outputs")
        elif numbers.size > 1 and float(np.std(numbers)) <= 1e-4 * facts.scale:
            only = f"{numbers.flat[0]:.6g}"
            yield Finding(place, f"{prefix}{facts.name}: expected outputs that vary, found {only} only")
        elif facts.dtype.is_float and not 1e-3 <= facts.scale <= 1e4:
            yield Finding(place, f"{prefix}{facts.name}: expected outputs near one, found {facts.scale:.3g}")


def _equal(a: Sequence[Array], b: Sequence[Array]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def _distance(a: Array, b: Array) -> float:
    """Give the root mean square difference; places where both are the same infinity count as equal."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.where(x == y, 0.0, x - y)
    return float(np.sqrt(np.mean(gap**2)))


def _output_types(kernel: Kernel) -> set[DType]:
    facts = verify_compute(kernel)
    return {facts.tensor(name).dtype for name in kernel.compute.outputs}
