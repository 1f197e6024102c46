"""What a GPU inlines beyond the rules of a CPU: whatever costs less to repeat than a launch.

A stage that is stored has a launch of its own, and its elements go out to memory and come back. On a GPU that
takes as long as many million operations.
"""

from collections.abc import Mapping
from math import prod

from edgekernelbench.ir.compute import Placed, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lowering.access import affine, cost, has_condition, reads
from edgekernelbench.lowering.survey import CHEAP, Survey
from edgekernelbench.profiles.profile import DeviceClass, Profile
from edgekernelbench.verify.facts import Facts

LAUNCH = {DeviceClass.SERVER: 40_000_000, DeviceClass.EDGE: 5_000_000, DeviceClass.STAND_IN: 5_000_000}
"""Simple operations that a device does in the time of a launch: a microsecond on an H200, five on an Orin."""

LARGEST = 1000
"""Nodes that an expression may grow to."""

ROUNDING = 12
"""How much larger the code is that rounds an expression to `bf16`: it stands there several times."""

SELDOM = 4
"""How often a condition may be tested for each element that it guards."""


def list_inlined(facts: Facts, found: Survey, profile: Profile) -> frozenset[str]:
    """List stages that a GPU should compute where they are read.

    Args:
        facts: The verified compute layer.
        found: What the rules decided.
        profile: The device.

    Returns:
        Elementwise stages outside groups, those that the rules inline not among them.
    """
    placed = {p.stage.name: p for p in placed_stages(facts.kernel.compute)}
    stored = {view.name for view in found.views}
    evaluations: dict[str, int] = {}
    summed: dict[str, int] = {}
    chosen: set[str] = set()
    for name, one in reversed(placed.items()):
        if name not in stored and name not in found.inline:
            continue  # evaluated once per weights
        elements = prod(one.stage.shape)
        wanted = evaluations.get(name, 0)
        others = frozenset({*chosen, *found.inline})
        pays = name in stored and _pays(one, (wanted, summed.get(name, 0)), found, profile)
        if pays and not _too_large(name, placed, others):
            chosen.add(name)
        times = wanted if name in found.inline or name in chosen else elements
        for read in reads(one.stage.value):
            more = times * _steps(one)
            evaluations[read.tensor] = evaluations.get(read.tensor, 0) + more
            if isinstance(one.stage.value, Reduction):
                summed[read.tensor] = summed.get(read.tensor, 0) + more
            elif name in chosen or name in found.inline:
                share = summed.get(name, 0) * more // max(1, times)
                summed[read.tensor] = summed.get(read.tensor, 0) + share
    return frozenset(chosen)


def _pays(one: Placed, times: tuple[int, int], found: Survey, profile: Profile) -> bool:
    """Say whether repeating a stage, so many times in all and in reductions, costs less than storing it."""
    stage, elements = one.stage, prod(one.stage.shape)
    wanted, summed = times
    if isinstance(stage.value, Reduction) or stage.name in found.outputs or one.group is not None:
        return False
    if stage.dtype.bits < 8 or any(view.group is not None for view in found.readers(stage.name)):
        return False
    reduced = [view for view in found.readers(stage.name) if view.reduced]
    dear = has_condition(stage.value) or (any(len(v.distinct) > 1 for v in reduced) and not _is_plain(one))
    if reduced and summed > SELDOM * elements and dear:
        return False
    own = cost(stage.value) + sum(1 for _ in reads(stage.value))
    return own * max(0, wanted - elements) <= LAUNCH[profile.device_class]


def _is_plain(one: Placed) -> bool:
    """Say whether a factor of a product stays one whose tiles can be fetched, and costs next to nothing."""
    value = one.stage.value
    plain = all(affine(index) is not None for read in reads(value) for index in read.indices)
    return plain and cost(value) <= CHEAP and not has_condition(value)


def _steps(one: Placed) -> int:
    value = one.stage.value
    return prod(o.stop - o.start for o in value.over) if isinstance(value, Reduction) else 1


def _too_large(name: str, placed: Mapping[str, Placed], others: frozenset[str]) -> bool:
    """Say whether a stage more makes some expression too large."""
    before, after = _grown(placed, others), _grown(placed, others | {name})
    return any(size > LARGEST and size != before[stage] for stage, size in after.items())


def _grown(placed: Mapping[str, Placed], chosen: frozenset[str]) -> dict[str, int]:
    """Count the nodes of each stage once what is chosen was inlined."""
    grown: dict[str, int] = {}
    for name, one in placed.items():
        size = sum(1 for part in expressions(one.stage.value) for _ in walk(part))
        for read in reads(one.stage.value):
            if read.tensor in chosen and read.tensor in grown:
                size += grown[read.tensor] * (ROUNDING if read.dtype is DType.BF16 else 1)
        grown[name] = size
    return grown
