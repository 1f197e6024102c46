"""From decisions to a text: rewrites of the compute layer, then the rules of the lowering."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from edgekernelbench.agents.policy.genome import Genome
from edgekernelbench.agents.policy.rewrites.dots import dot_form
from edgekernelbench.agents.policy.rewrites.widening import widened
from edgekernelbench.agents.policy.rewrites.windows import windows_apart
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import NOWHERE
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Layout, Memory
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.choices import Choices
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A compute layer after some rewrites.

    Attributes:
        facts: What was verified of it.
        keep: Stages that must not be inlined, else the rewrite was for nothing.
        apart: Stages that keep nests of their own.
        dots: Whether sums of 8-bit products are left to the instruction for them.
    """

    facts: Facts
    keep: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    dots: bool = False


Rewrite = Callable[[Rewritten, Profile], Rewritten | None]


def _dots(given: Rewritten, profile: Profile) -> Rewritten | None:
    if profile.target != "llvm" or "dot4" not in profile.instructions:
        return None  # the rules of GPUs leave nothing to it
    found = dot_form(given.facts, profile.vector_bytes // 4)
    if found is None:
        return None
    return replace(given, facts=again(found[0]), apart=given.apart | found[1], dots=True)


def _widen(given: Rewritten, profile: Profile) -> Rewritten | None:
    del profile
    found = widened(given.facts)
    if found is None:
        return None
    return replace(given, facts=again(found[0]), keep=given.keep | found[1])


def _windows(given: Rewritten, profile: Profile) -> Rewritten | None:
    del profile
    kernel = windows_apart(given.facts)
    return None if kernel is None else replace(given, facts=again(kernel))


REWRITES: Mapping[str, Rewrite] = {"dots": _dots, "windows": _windows, "widen": _widen}
"""The rewrites by name, in the order in which they are tried."""


def again(kernel: Kernel) -> Facts:
    """Print, read and verify a kernel: what the policy writes is text like any other."""
    return verify_compute(parse(print_kernel(kernel)))


@dataclass
class Desk:
    """Writes the texts of one task; what was written once is kept.

    Attributes:
        facts: The canonical compute layer.
        profile: The device.
    """

    facts: Facts
    profile: Profile
    _made: dict[tuple[str, ...], Rewritten | None] = field(default_factory=dict)

    def rewritten(self, names: tuple[str, ...]) -> Rewritten | None:
        """Apply rewrites in order; None when one of them finds nothing, or what it writes is refused."""
        if names not in self._made:
            before = self.rewritten(names[:-1]) if names else Rewritten(self.facts)
            self._made[names] = None if before is None else self._applied(names, before)
        return self._made[names]

    def _applied(self, names: tuple[str, ...], before: Rewritten) -> Rewritten | None:
        if not names:
            return before
        try:
            return REWRITES[names[-1]](before, self.profile)
        except SourceError:
            return None

    def choices(self, genome: Genome) -> Choices:
        """Give the choices of the lowering, with what the rewrites ask for."""
        made = self.rewritten(genome.rewrites)
        if made is None:
            return genome.choices
        chosen = genome.choices
        return replace(chosen, keep=chosen.keep | made.keep, apart=chosen.apart | made.apart, dots=made.dots)

    def write(self, genome: Genome) -> Kernel | None:
        """Write the text of some decisions; None when they fit no text."""
        made = self.rewritten(genome.rewrites)
        if made is None:
            return None
        kernel = default_lowering(made.facts, self.profile.target, self.profile, self.choices(genome))
        return _stored(kernel, genome.layouts, self.profile.target)


def _stored(kernel: Kernel, layouts: Mapping[str, str], target: str) -> Kernel | None:
    """Store tensors otherwise; None when that is no text."""
    if not layouts:
        return kernel
    memory = kernel.memory_for(target)
    kept = tuple(d for d in memory.directives if not (isinstance(d, Layout) and d.tensor in layouts))
    text = print_kernel(replace(kernel, memories=(Memory((target,), kept, NOWHERE),)))
    lines = [f'        layout({name}, "{spec}")\n' for name, spec in layouts.items() if spec]
    if not kept and lines:
        text = text.replace(
            f'    with memory("{target}"):\n        pass\n', f'    with memory("{target}"):\n'
        )
    try:
        return parse(text + "".join(lines))
    except SourceError:
        return None
