"""What kind of work a stage is: the families that the policy has moves for."""

from enum import StrEnum
from math import prod

from edgekernelbench.ir.compute import Placed, placed_stages
from edgekernelbench.ir.expr import Binary, Expr, Read, Reduction
from edgekernelbench.ir.walk import walk
from edgekernelbench.lowering.access import affine, axes_of, cost, reads
from edgekernelbench.verify.facts import Facts


class Family(StrEnum):
    """What a stage is, by how it reads."""

    CONTRACTION = "contraction"
    """A sum of products of tensors that are shared along different axes: matmul, convolution."""
    STENCIL = "stencil"
    """A reduction over neighbours of one tensor: pooling, filters."""
    REDUCTION = "reduction"
    """A reduction along an axis: norms, softmax, argmax."""
    ELEMENTWISE = "elementwise"
    SCAN = "scan"
    """Steps that follow each other."""
    GATHER = "gather"
    """Reads whose places are data."""


def family_of(placed: Placed) -> Family:
    """Say what kind of work a stage is."""
    stage = placed.stage
    if placed.group is not None:
        return Family.SCAN
    found = tuple(reads(stage.value))
    if any(_by_data(i) for r in found for i in r.indices):
        return Family.GATHER
    if not isinstance(stage.value, Reduction):
        return Family.ELEMENTWISE
    product = stage.value.element
    moving = [axes_of(r) & set(stage.axes) for r in found]
    several = len({r.tensor for r in found}) > 1
    if isinstance(product, Binary) and product.op == "*" and several and len(set(moving)) > 1:
        return Family.CONTRACTION
    reduced = {o.axis for o in stage.value.over}
    forms = [set(affine(i) or {}) for r in found for i in r.indices]
    mixed = any(form & reduced and form - reduced for form in forms)
    return Family.STENCIL if mixed else Family.REDUCTION


def _by_data(index: Expr) -> bool:
    """Say whether an index hangs on data."""
    return any(isinstance(node, Read) for node in walk(index))


def describe(facts: Facts) -> str:
    """Say in one sentence what kind of work a kernel mostly is."""
    weights: dict[Family, int] = {}
    heaviest: dict[Family, tuple[int, str]] = {}
    for placed in placed_stages(facts.kernel.compute):
        stage = placed.stage
        over = stage.value.over if isinstance(stage.value, Reduction) else ()
        work = prod(stage.shape) * prod(o.stop - o.start for o in over) * (1 + cost(stage.value))
        family = family_of(placed)
        weights[family] = weights.get(family, 0) + work
        heaviest[family] = max(heaviest.get(family, (0, "")), (work, stage.name))
    if not weights:
        return "no work"
    first = max(weights, key=lambda one: weights[one])
    share = weights[first] / max(1, sum(weights.values()))
    return f"{share:.0%} of the operations are {first}, most of them in {heaviest[first][1]}"
