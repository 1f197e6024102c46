"""The default lowering: schedule and memory layers for any compute, by rules.

What a user gets for nothing, the `default` baseline, and where agents of the *optimise* track start. It runs
nothing and searches nothing; the rules stand in `survey` (inline, precompute), `nests` (what shares a nest),
`tile` and `phases` (register tiles), `vectors` and `fields` (what lies innermost), `emit`, `roots`, `groups`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import Schedule
from edgekernelbench.lowering.choices import DEFAULT, Choices
from edgekernelbench.lowering.emit import Emitter, price
from edgekernelbench.lowering.fields import records
from edgekernelbench.lowering.gpu import Rules
from edgekernelbench.lowering.gpu_inline import list_inlined
from edgekernelbench.lowering.groups import write_group
from edgekernelbench.lowering.nests import plan_nests
from edgekernelbench.lowering.roots import write_nest
from edgekernelbench.lowering.survey import Survey, survey
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts


def default_lowering(facts: Facts, target: str, profile: Profile, choices: Choices = DEFAULT) -> Kernel:
    """Write schedule and memory layers for a compute layer.

    Args:
        facts: The verified compute layer.
        target: `llvm`, `cuda` or `opencl`.
        profile: The device.
        choices: What is decided otherwise than by the rules: for searches.

    Returns:
        The same compute with one block of each kind, for this target alone. The blocks are legal: rules
        that a text does not admit are left out, in the last resort all of them.
    """
    found = survey(facts, choices)
    ways = [(_for_cpu, found), (_inlining, found)]
    if target != "llvm":
        ways = [(_for_gpu, surveyed(facts, profile, choices)), (_for_gpu, found), (_inlining, found)]
    for write, seen in ways:
        kernel = _with(facts.kernel, write(seen, facts, profile, choices).blocks(target))
        if _is_legal(facts, kernel, target, profile):
            return kernel
    return _with(facts.kernel, (Schedule((target,), ()), Memory((target,), ())))


def surveyed(facts: Facts, profile: Profile, choices: Choices) -> Survey:
    """Decide what is inlined and precomputed on a GPU, which inlines more."""
    found = survey(facts, choices)
    more = list_inlined(facts, found, profile) - choices.keep
    if not more:
        return found
    return survey(facts, replace(choices, inline=choices.inline | more | set(found.inline)))


def _with(kernel: Kernel, blocks: tuple[Schedule, Memory]) -> Kernel:
    return replace(kernel, schedules=blocks[:1], memories=blocks[1:])


def _is_legal(facts: Facts, kernel: Kernel, target: str, profile: Profile) -> bool:
    try:
        build_nest(replace(facts, kernel=kernel), target, profile)
    except SourceError:
        return False
    return True


def _start(found: Survey, facts: Facts) -> Writer:
    taken = {p.name for p in facts.kernel.params}
    for placed in placed_stages(facts.kernel.compute):
        taken |= {placed.stage.name, *placed.stage.axes}
    writer = Writer(taken)
    writer.precompute(*found.precompute)
    writer.inline(*found.inline)
    return writer


def _inlining(found: Survey, facts: Facts, profile: Profile, choices: Choices) -> Writer:
    """Only what has no loops: the rest is left to the rules of the language (A9)."""
    del profile, choices
    return _start(found, facts)


def _for_gpu(found: Survey, facts: Facts, profile: Profile, choices: Choices) -> Writer:
    def legal(writer: Writer) -> bool:
        return _is_legal(facts, _with(facts.kernel, writer.blocks(profile.target)), profile.target, profile)

    shape_of = partial(_shape, facts)
    rules = Rules(found, profile, legal, shape_of, choices.rules, choices.double)
    return rules.write(_start(found, facts))


def count_rules(facts: Facts, profile: Profile, choices: Choices = DEFAULT) -> Mapping[str, int]:
    """Count the rules, tiles of contractions included, that each root stage can be written by on a GPU.

    Args:
        facts: The verified compute layer.
        profile: The device.
        choices: What is decided already.
    """
    found = surveyed(facts, profile, choices)
    return Rules(found, profile, lambda _: True, partial(_shape, facts)).count()


def _shape(facts: Facts, name: str) -> tuple[int, ...]:
    return facts.tensor(name).shape


def _for_cpu(found: Survey, facts: Facts, profile: Profile, choices: Choices) -> Writer:
    del found
    return emitted(facts, profile, choices).writer


def emitted(facts: Facts, profile: Profile, choices: Choices = DEFAULT) -> Emitter:
    """Write the directives of a CPU, legal or not; what the rules knew on the way stays with them.

    Args:
        facts: The verified compute layer.
        profile: The device.
        choices: What is decided otherwise than by the rules.
    """
    found = survey(facts, choices)
    emitter = Emitter(found, profile, _start(found, facts), choices=choices)
    for name, dim in records(found):
        emitter.turn(name, dim)
    for view in found.views:
        emitter.prepare(view)
    plans = plan_nests(found, profile.threads, lambda view, fixed: price(view, fixed, emitter), choices.apart)
    for plan in plans:
        write_nest(emitter, plan)
    for group in facts.groups:
        write_group(group, emitter, facts)
    return emitter
