"""How conformance tests say what is wrong: pytest explains no `assert` of an installed package."""

from edgekernelbench.agents.examples import Example, load_pool
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse

POOL_NAMES = ("clip_axpy", "row_span", "matvec_bias", "dense_i8", "peak_hold")
"""Kernels of the pool that a conformance test takes: elementwise, reductions, integers, ordered steps."""


def expect(truth: object, message: str) -> None:
    """Fail a test unless something holds.

    Args:
        truth: What must hold.
        message: What was expected, what was found, what to do.

    Raises:
        AssertionError: When it does not hold.
    """
    if not truth:
        raise AssertionError(message)


def pool_examples() -> tuple[Example, ...]:
    """Give the kernels that conformance tests take."""
    found = {example.name: example for example in load_pool()}
    return tuple(found[name] for name in POOL_NAMES)


def pool_kernel(example: Example, target: str) -> Kernel:
    """Give a kernel of the pool with its layers for a target."""
    return parse(example.kernel_for(target))
