"""Whether a kernel is one for its workload: parameters and outputs, and arithmetic as wide as declared."""

from collections.abc import Iterator

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Param, Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import walk
from edgekernelbench.verify.facts import Facts


def verify_signature(kernel: Kernel, canonical: Kernel) -> tuple[Diagnostic, ...]:
    """Compare parameters and outputs with those of the workload; names are free.

    Args:
        kernel: What was handed in.
        canonical: The workload's own kernel.

    Returns:
        One complaint a difference, in order.
    """
    return (*_param_problems(kernel, canonical), *_output_problems(kernel, canonical))


def _param_problems(kernel: Kernel, canonical: Kernel) -> Iterator[Diagnostic]:
    if len(kernel.params) != len(canonical.params):
        wanted = ", ".join(describe_param(p) for p in canonical.params)
        yield Diagnostic(
            "C09",
            f"the task has {_count(len(canonical.params), 'parameter')}, the kernel has {len(kernel.params)}",
            kernel.span,
            hint=f"def {kernel.name}({wanted}):",
        )
        return
    for given, wanted_param in zip(kernel.params, canonical.params, strict=True):
        if not _fits(given, wanted_param):
            expected = describe_param(wanted_param, name=given.name)
            message = f"the task has {expected} here, the kernel has {describe_param(given)}"
            yield Diagnostic("C09", message, given.span, hint=expected)


def _fits(given: Param, wanted: Param) -> bool:
    same = (given.dtype, given.shape, given.bounds) == (wanted.dtype, wanted.shape, wanted.bounds)
    return same and (wanted.const or not given.const)


def describe_param(param: Param, *, name: str | None = None) -> str:
    """Write a parameter as it stands in a signature.

    Args:
        param: The parameter.
        name: Another name for it.

    Returns:
        Such as `w: const[f32[K, C]]`.
    """
    kind = _type(param.dtype, param.shape)
    whole = f"const[{kind}]" if param.const else kind
    match param.bounds:
        case None:
            return f"{name or param.name}: {whole}"
        case (0, stop):
            return f"{name or param.name}: {whole} in range({stop})"
        case (start, stop):
            return f"{name or param.name}: {whole} in range({start}, {stop})"


def _type(dtype: DType, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else str(dtype)


def _output_problems(kernel: Kernel, canonical: Kernel) -> Iterator[Diagnostic]:
    given, wanted = outputs_of(kernel), outputs_of(canonical)
    spans = kernel.compute.output_spans
    if len(given) != len(wanted):
        kinds = ", ".join(_type(s.dtype, s.shape) for s in wanted)
        message = (
            f"the task returns {_count(len(wanted), 'output')} ({kinds}), the kernel returns {len(given)}"
        )
        span = spans[0] if spans else kernel.span
        yield Diagnostic("C09", message, span, Layer.COMPUTE)
        return
    for number, (stage, expected) in enumerate(zip(given, wanted, strict=True)):
        if (stage.dtype, stage.shape) != (expected.dtype, expected.shape):
            kind = _type(expected.dtype, expected.shape)
            message = (
                f"output {number} of the task is {kind}, {stage.name} is {_type(stage.dtype, stage.shape)}"
            )
            yield Diagnostic(
                "C09", message, stage.name_span, Layer.COMPUTE, hint=f"{_left(stage)}: {kind} = …"
            )


def _left(stage: Stage) -> str:
    return f"{stage.name}[{', '.join(stage.axes)}]" if stage.axes else stage.name


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def outputs_of(kernel: Kernel) -> tuple[Stage, ...]:
    """List the stages that a kernel returns, in order."""
    stages = {placed.stage.name: placed.stage for placed in placed_stages(kernel.compute)}
    return tuple(stages[name] for name in kernel.compute.outputs)


def verify_arithmetic(kernel: Kernel, canonical: Kernel, accumulate: DType) -> tuple[Diagnostic, ...]:
    """Refuse floating-point arithmetic that is narrower than the workload declares; wider is free.

    A sum or product accumulates in at least `accumulate`; a float type narrower than that occurs
    only if the canonical kernel has it too.

    Args:
        kernel: What was handed in, typed.
        canonical: The workload's own kernel, typed.
        accumulate: The narrowest type that sums may be held in.

    Returns:
        One complaint a place.
    """
    if not accumulate.is_float:
        return ()
    allowed = {dtype for _, dtype, _ in _float_types(canonical)} | {p.dtype for p in canonical.params}
    found = []
    for stage, dtype, span in _float_types(kernel):
        if dtype.bits < accumulate.bits and dtype not in allowed:
            message = f"{stage.name} computes in {dtype}, the task declares {accumulate}"
            found.append(Diagnostic("T08", message, span, Layer.COMPUTE, hint=f"use {accumulate}"))
    for placed in placed_stages(kernel.compute):
        stage, value = placed.stage, placed.stage.value
        narrow = stage.dtype.is_float and stage.dtype.bits < accumulate.bits
        if isinstance(value, Reduction) and value.kind in ("sum", "prod") and narrow:
            message = f"{stage.name} sums in {stage.dtype}, the task declares {accumulate}"
            left = f"{_left(stage)}: {_type(accumulate, stage.shape)} = …"
            found.append(Diagnostic("T08", message, stage.name_span, Layer.COMPUTE, hint=left))
    return tuple(found)


def verify_sums(facts: Facts, canonical: Facts, accumulate: DType) -> tuple[Diagnostic, ...]:
    """Refuse integer sums in a narrower type than the workload declares, unless they are proven to fit.

    What is drawn need not reach what may come: sums of signs that cancel stay small for ever. Products are as
    sums; a type in which the canonical kernel sums too is free.

    Args:
        facts: What is proven of what was handed in.
        canonical: What is proven of the workload's own kernel.
        accumulate: The narrowest type that sums may be held in.

    Returns:
        One complaint a stage.
    """
    needed = accumulate if accumulate.is_int else DType.I32
    own = {stage.dtype for stage in _integer_sums(canonical)}
    return tuple(
        Diagnostic(
            "T08",
            f"{stage.name} sums in {stage.dtype}, the task declares {needed}, and it is not proven to fit",
            stage.name_span,
            Layer.COMPUTE,
            hint=f"{_left(stage)}: {_type(needed, stage.shape)} = …",
        )
        for stage in _integer_sums(facts)
        if stage.dtype.bits < needed.bits and stage.dtype not in own and not _is_proven(stage, facts)
    )


def _integer_sums(facts: Facts) -> Iterator[Stage]:
    for placed in placed_stages(facts.kernel.compute):
        value = placed.stage.value
        if isinstance(value, Reduction) and value.kind in ("sum", "prod") and placed.stage.dtype.is_int:
            yield placed.stage


def _is_proven(stage: Stage, facts: Facts) -> bool:
    """Whether the sum is known to be within its type: of one that is not, the whole type is what is known."""
    found = facts.ranges[stage.name]
    return (found.low, found.high) != stage.dtype.bounds


def _float_types(kernel: Kernel) -> Iterator[tuple[Stage, DType, Span]]:
    for placed in placed_stages(kernel.compute):
        stage = placed.stage
        if stage.dtype.is_float:
            yield stage, stage.dtype, stage.name_span
        roots = (
            (stage.value.element, *(c for over in stage.value.over for c in over.conditions))
            if isinstance(stage.value, Reduction)
            else (stage.value,)
        )
        for root in roots:
            for node in walk(root):
                if isinstance(node, Cast) and node.to.is_float:
                    yield stage, node.to, node.span
