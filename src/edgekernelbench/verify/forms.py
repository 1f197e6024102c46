"""What a compute layer must be before types are asked for: names, shapes, tables, outputs, `for`s."""

from collections.abc import Iterable
from math import prod

from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.compute import Compute, Ordered, Param, Stage, Table, tables
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.words import RESERVED
from edgekernelbench.verify.groups import Reads
from edgekernelbench.verify.literals import typed_literal
from edgekernelbench.verify.names import Names, Place, all_axes
from edgekernelbench.verify.report import Report

MAX_EXTENT = 2**31 - 1
"""Axes are `i32`."""

MAX_TABLE = 4096
"""Numbers in a table."""

SPARE_AXES = "nijkmpquvwxyz"
"""Names to suggest for an axis."""


def check_forms(kernel: Kernel, names: Names, report: Report) -> frozenset[str]:
    """Check names, shapes, tables, outputs and `for`s.

    Args:
        kernel: The kernel as parsed.
        names: Its names.
        report: Where complaints go.

    Returns:
        The stages that cannot be looked into further.
    """
    for tensor in names.twice:
        report.error("C05", f"{tensor.name} is defined twice: a name means one thing", tensor.span)
    for param in kernel.params:
        _check_param(param, report)
    for table in tables(kernel.compute):
        _check_table(table, report)
    _check_axis_names(names, report)
    broken = {place.item.name for place in names.stages if not _check_stage(place, names, report)}
    _check_outputs(kernel.compute, names, report)
    return frozenset(broken)


def _check_sizes(name: str, shape: tuple[int, ...], span: Span, report: Report) -> bool:
    fits = all(1 <= size <= MAX_EXTENT for size in shape)
    if not fits:
        size = next(size for size in shape if not 1 <= size <= MAX_EXTENT)
        report.error("C03", f"{name} has an axis of size {size}, a size is 1..{MAX_EXTENT}", span)
    return fits


def _check_param(param: Param, report: Report) -> None:
    _check_sizes(param.name, param.shape, param.span, report)
    _check_word(param.name, param.span, report)
    if param.bounds is None:
        return
    start, stop = param.bounds
    if not param.dtype.is_int:
        report.error("C11", f"in range(…) is for integers, {param.name} is {param.dtype}", param.span)
    elif not param.dtype.bounds[0] <= start < stop <= param.dtype.bounds[1] + 1:
        held = f"{param.dtype} holds {param.dtype.bounds[0]}..{param.dtype.bounds[1]}"
        text = f"{param.name} in range({start}, {stop}) is empty or too wide: {held}"
        report.error("C11", text, param.span)


def _check_word(name: str, span: Span, report: Report) -> None:
    if name in RESERVED:
        report.error("C05", f"{name} is a word of the language", span, f"rename it, for example {name}_")


def _check_table(table: Table, report: Report) -> None:
    _check_word(table.name, table.span, report)
    if not _check_sizes(table.name, table.shape, table.span, report):
        return
    count = prod(table.shape)
    if not table.shape or count > MAX_TABLE:
        report.error("C06", f"a table has 1..{MAX_TABLE} numbers, {table.name} has {count}", table.span)
    elif len(table.values) != count:
        shape = ", ".join(map(str, table.shape))
        text = f"{table.name} is declared [{shape}], {count} numbers; its list has {len(table.values)}"
        report.error("C06", text, table.span)
    else:
        for value in table.values:
            typed = typed_literal(value, table.dtype, table.span)
            if typed is None or typed.dtype is not table.dtype:
                report.error("C06", f"{value} does not fit {table.name}, which is {table.dtype}", table.span)
                break


def _check_axis_names(names: Names, report: Report) -> None:
    seen: set[str] = set()
    for place in names.stages:
        stage = place.item
        for axis in all_axes(stage):
            if axis in seen:
                continue
            seen.add(axis)
            span = _axis_span(stage, axis)
            _check_word(axis, span, report)
            tensor = names.tensors.get(axis)
            if tensor is not None:
                taken = {*seen, *names.tensors}
                spare = next((letter for letter in SPARE_AXES if letter not in taken), f"{axis}_")
                text = f"{axis} is an axis of {stage.name} and a {tensor.kind}: a name means one thing"
                report.error("C05", text, span, f"rename the axis, for example {spare}")


def _axis_span(stage: Stage, axis: str) -> Span:
    if axis in stage.axes or not isinstance(stage.value, Reduction):
        return stage.name_span
    return next(over.span for over in stage.value.over if over.axis == axis)


def _check_stage(place: Place[Stage], names: Names, report: Report) -> bool:
    stage = place.item
    _check_word(stage.name, stage.name_span, report)
    if len(stage.axes) != len(stage.shape):
        text = f"{stage.name} has {len(stage.axes)} axes and {len(stage.shape)} sizes"
        report.error("C07", text, stage.name_span)
        return False
    fine = _check_sizes(stage.name, stage.shape, stage.name_span, report)
    fine &= names.places[stage.name] is place if stage.name in names.places else False
    fine &= _check_distinct(stage, report)
    if isinstance(stage.value, Reduction):
        fine &= _check_ranges(stage.value, report)
    for number, ordered in enumerate(place.path):
        fine &= _check_ordered(stage, ordered, place.path[:number], report)
    return fine


def _check_distinct(stage: Stage, report: Report) -> bool:
    axes = all_axes(stage)
    double = next((axis for number, axis in enumerate(axes) if axis in axes[:number]), None)
    if double is not None:
        span = _axis_span(stage, double) if double not in stage.axes else stage.name_span
        report.error("C05", f"{stage.name} has two axes {double}: a name means one thing", span)
    return double is None


def _check_ranges(value: Reduction, report: Report) -> bool:
    fine = True
    for over in value.over:
        if not -MAX_EXTENT <= over.start < over.stop <= MAX_EXTENT:
            report.error("C11", f"range({over.start}, {over.stop}) is empty or too long", over.span)
            fine = False
        elif over.start != 0 and value.kind in ("argmax", "argmin"):
            report.error("C11", f"ranges of {value.kind} start at 0, since it gives a place", over.span)
            fine = False
    return fine


def _check_ordered(stage: Stage, ordered: Ordered, outside: Iterable[Ordered], report: Report) -> bool:
    axis = ordered.axis
    if any(outer.axis == axis for outer in outside):
        report.error("O01", f"for {axis} stands inside for {axis}: it needs a name of its own", ordered.span)
        return False
    if axis not in stage.axes:
        axes = ", ".join((axis, *stage.axes))
        sizes = ", ".join(map(str, (ordered.size, *stage.shape)))
        text = f"{stage.name} stands inside for {axis} and has no axis {axis}"
        report.error("O02", text, stage.name_span, f"{stage.name}[{axes}]: {stage.dtype}[{sizes}] = …")
        return False
    size = stage.shape[stage.axes.index(axis)]
    if size != ordered.size:
        text = f"axis {axis} of {stage.name} has size {size}, its for has {ordered.size} steps"
        report.error("O03", text, stage.name_span, f"for {axis} in range({size}):")
        return False
    return True


def _check_outputs(compute: Compute, names: Names, report: Report) -> None:
    spans = compute.output_spans or (NOWHERE,) * len(compute.outputs)
    if not compute.outputs:
        report.error("C01", "the compute block ends with return and the names of stages", NOWHERE)
    seen: set[str] = set()
    for name, span in zip(compute.outputs, spans, strict=True):
        tensor = names.tensors.get(name)
        if tensor is None:
            near = names.nearest(name)
            report.error("C02", f"no stage {name} to return", span, near and f"return {near}")
        elif tensor.kind != "stage":
            report.error("C02", f"{name} is a {tensor.kind}: stages are returned", span, "copy it in a stage")
        elif name in seen:
            report.error("C02", f"{name} is returned twice", span)
        seen.add(name)


def check_dead(compute: Compute, names: Names, reads: Reads, report: Report) -> None:
    """Refuse stages that no output needs; of a chain only the end is named.

    Args:
        compute: The layer; every name in it is known.
        names: Its names.
        reads: What each stage reads.
        report: Where complaints go.
    """
    needs = {name: frozenset(read.tensor for read in found) for name, found in reads.items()}
    alive: set[str] = set()
    waiting = [name for name in compute.outputs if name in needs]
    while waiting:
        name = waiting.pop()
        if name not in alive:
            alive.add(name)
            waiting.extend(needs[name] & needs.keys())
    dead = [place.item for place in names.stages if place.item.name not in alive]
    wanted = {name for stage in dead for name in needs[stage.name] if name != stage.name}
    ends = [stage for stage in dead if stage.name not in wanted] or dead[:1]
    for stage in ends:
        report.error("C16", f"no output needs {stage.name}", stage.name_span, "return it, or remove it")
