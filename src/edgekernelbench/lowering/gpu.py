"""The default lowering of GPUs: tiles in shared memory, rows on blocks, threads across long reductions.

Each rule is tried on one root nest at a time and kept when the text stays legal for the device; what no rule
takes is left to the language, which deals it out to blocks of threads (A9).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import prod

from edgekernelbench.ir.memory import Cache
from edgekernelbench.lowering.gpu_across import (
    is_across_columns,
    is_long,
    wide_steps,
    write_across,
    write_across_wide,
    write_columns,
    write_fused,
)
from edgekernelbench.lowering.gpu_rows import is_slight, write_rows, write_thread_rows
from edgekernelbench.lowering.gpu_tile import other_sizes, tile_choices, write_tile
from edgekernelbench.lowering.nests import Plan, plan_nests
from edgekernelbench.lowering.survey import Survey, View
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.profiles.profile import DeviceClass, Profile

LEAST_ROWS = 1
ROW_BLOCKS = 128
"""Rows from which on each has a block, however much there is to do in it."""

ROW_STEPS = 1 << 14
"""Steps that a block does in the time of two launches."""

PRODUCT_STEPS = 1 << 13
"""Steps of a product in a row from which on it should have tiles, and a launch, of its own."""

ALONE = 10.0
"""The price of what should not be computed in rows."""

BUSY = {DeviceClass.SERVER: 132, DeviceClass.EDGE: 16, DeviceClass.STAND_IN: 16}
"""Blocks that keep a device busy: the multiprocessors of an H200, and of an Orin."""

Legal = Callable[[Writer], bool]
"""Whether a text with these directives is accepted."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Writes directives for one kernel.

    Attributes:
        found: What has to be scheduled.
        profile: The device.
        legal: Checks what was written.
        shape_of: Gives the shape of a tensor.
        chosen: For some root stages, which of the rules is taken.
        double: Whether what blocks fetch is fetched ahead.
    """

    found: Survey
    profile: Profile
    legal: Legal
    shape_of: Callable[[str], tuple[int, ...]]
    chosen: Mapping[str, int] = field(default_factory=dict)
    double: bool = False

    def write(self, writer: Writer) -> Writer:
        """Write all nests, each by the first rule that fits; fetch ahead where that was chosen."""
        made = self._nests(writer)
        if not self.double or not any(isinstance(d, Cache) for d in made.memory):
            return made
        ahead = made.copy()
        ahead.memory = [replace(d, buffers=2) if isinstance(d, Cache) else d for d in made.memory]
        return ahead if self.legal(ahead) else made

    def _nests(self, writer: Writer) -> Writer:
        plans = self._plans()
        hoped = writer.copy()
        for plan in plans:
            number = self.chosen.get(plan.root.name, 0)
            for rule in islice(self._ways(plan), number, number + 1):
                rule(hoped)
        if self.legal(hoped):  # mostly; else one nest after another, each checked
            return hoped
        for plan in plans:
            for rule in self._rules(plan):
                trial = writer.copy()
                rule(trial)
                if self.legal(trial):
                    writer = trial
                    break
        return writer

    def count(self) -> Mapping[str, int]:
        """Count the rules that each root stage can choose from."""
        plans = self._plans()
        return {plan.root.name: sum(1 for _ in self._ways(plan)) for plan in plans}

    def _plans(self) -> tuple[Plan, ...]:
        return plan_nests(self.found, LEAST_ROWS, self._price)

    def _price(self, view: View, fixed: frozenset[str]) -> float:
        """Say what a reduction costs in a row: too much where a block would have too much to do alone."""
        if not fixed:
            return 1.0
        rows = prod(view.sizes[axis] for axis in fixed if axis in view.sizes)
        steps = prod(n for axis, n in view.sizes.items() if axis not in fixed)
        lonely = rows < ROW_BLOCKS and steps > ROW_STEPS
        product = steps > PRODUCT_STEPS and self._has_tiles(view)
        return ALONE if lonely or product else 1.0

    def _has_tiles(self, view: View) -> bool:
        busy = BUSY[self.profile.device_class]
        return any(choice.cached for choice in tile_choices(view, view, busy, self.shape_of))

    def _ways(self, plan: Plan) -> Iterator[Callable[[Writer], None]]:
        """List the rules, and then every other tile: those are for searches."""
        yield from self._rules(plan)
        reduction = plan.tiled.get(plan.root.name, plan.root)
        if reduction.reduced and not (plan.rows and plan.members):
            busy = BUSY[self.profile.device_class]
            choices = list(tile_choices(plan.root, reduction, busy, self.shape_of))
            for choice in other_sizes(choices):
                yield partial(write_tile, choice)

    def _rules(self, plan: Plan) -> Iterator[Callable[[Writer], None]]:
        if plan.rows and plan.members:
            if is_slight(plan):
                yield partial(write_thread_rows, plan)
            yield partial(write_rows, plan, self.found)
            return
        reduction = plan.tiled.get(plan.root.name, plan.root)
        if not reduction.reduced:
            return
        busy = BUSY[self.profile.device_class]
        for choice in tile_choices(plan.root, reduction, busy, self.shape_of):
            yield partial(write_tile, choice)
        if is_long(reduction):
            wide = wide_steps(reduction)
            if wide is not None:
                yield partial(write_across_wide, plan.root, reduction, wide)
            yield partial(write_across, plan.root, reduction)
        if is_across_columns(reduction):
            yield partial(write_columns, plan.root, reduction)
        if reduction is not plan.root or plan.root.stage.axes:
            yield partial(write_fused, plan.root, reduction)
