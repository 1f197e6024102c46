"""Task cards: what an agent is told, made from plain values.

The card knows nothing of the catalogue; whoever runs agents passes the values in, and is the one who
keeps the canonical text back in the write track.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from edgekernelbench.agents.examples import Example, nearest_examples
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.protocol import Shot, Task, Track
from edgekernelbench.base.errors import InternalError
from edgekernelbench.profiles.profile import Profile

PROMPTS = files(__package__) / "prompts"
GPU_TARGETS = ("cuda", "opencl")


@dataclass(frozen=True, slots=True)
class PlainFacts:
    """What a card says where plain C is asked for.

    Attributes:
        prototype: The declaration of the function.
        includes: The headers that may be included.
        flags: What texts are compiled with.
    """

    prototype: str
    includes: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says about one workload.

    Attributes:
        workload: Its id.
        title: What it computes, one sentence.
        name: Name of the function.
        parameters: What stands between the brackets of the `def` line, sizes as numbers.
        outputs: Type and sizes of each output, in order, such as `"f32[128, 1024]"`.
        arithmetic: The narrowest arithmetic and accumulation that is allowed.
        pytorch: Source of the PyTorch function.
        sizes: What the capitals of the pattern stand for; the card lists those that the function mentions.
        canonical: The canonical compute text with the default lowering; None in the write track.
        plain: What is said where plain C is asked for; None where a kernel text is.
    """

    workload: str
    title: str
    name: str
    parameters: str
    outputs: tuple[str, ...]
    arithmetic: str
    pytorch: str
    sizes: Mapping[str, int | float | str]
    canonical: str | None = None
    plain: "PlainFacts | None" = None

    @property
    def signature(self) -> str:
        """The `def` line."""
        return f"def {self.name}({self.parameters}):"

    @property
    def track(self) -> Track:
        """Which question the card asks."""
        return Track.WRITE if self.canonical is None else Track.OPTIMISE


def make_task(
    facts: CardFacts, profile: Profile, budget: Budget, *, sample: int = 0, short: bool = False
) -> Task:
    """Write the task of one workload.

    Args:
        facts: The workload.
        profile: The device.
        budget: What may be used.
        sample: Number of the attempt.
        short: Whether to show the short language reference and the examples as turns, for models with little
            context: they copy the shape of turns, and are lost in a long card.

    Returns:
        The task with its two texts.
    """
    if facts.plain is not None:
        return plain_task(facts, facts.plain, profile, budget, sample=sample)
    return Task(
        workload=facts.workload,
        target=profile.target,
        track=facts.track,
        system=system_text(facts.track, profile.target, short=short),
        prompt=card_text(facts, profile, budget, short=short),
        start=facts.canonical,
        sample=sample,
        shots=_shots(facts, profile.target) if short else (),
        signature=facts.signature,
        language=language_text(profile.target, short=short),
        examples=examples_text(facts, profile.target),
        device=device_text(profile),
    )


def plain_task(facts: CardFacts, plain: PlainFacts, profile: Profile, budget: Budget, *, sample: int) -> Task:
    """Write the task of one workload for plain C: the same question, without our language.

    Args:
        facts: The workload.
        plain: What is said of C.
        profile: The device.
        budget: What may be used.
        sample: Number of the attempt.
    """
    values = {
        "title": facts.title,
        "prototype": plain.prototype,
        "arithmetic": facts.arithmetic,
        "reference": _reference(facts),
        "target": profile.target,
        "device": device_text(profile),
        "budget": str(budget.whole()),
    }
    rules = {"flags": " ".join(plain.flags), "includes": ", ".join(plain.includes)}
    return Task(
        workload=facts.workload,
        target=profile.target,
        track=facts.track,
        system=render("rules_c", rules),
        prompt=render("card_c", values),
        sample=sample,
        signature=plain.prototype,
        device=device_text(profile),
        written_in="c",
    )


def system_text(track: Track, target: str, *, short: bool = False) -> str:
    """Write the rules and the language reference: the same for all workloads of a target."""
    return f"{render(f'rules_{track}', {})}\n\n{language_text(target, short=short)}"


def language_text(target: str, *, short: bool = False) -> str:
    """Write the language reference of a target, without rules of an answer."""
    kind = "gpu" if target in GPU_TARGETS else "llvm"
    if short:
        values = {"target": target, "schedule_short": render(f"schedule_short_{kind}", {})}
        return render("language_short", values)
    values = {
        "target": target,
        "shape_schedule": render(f"shape_{kind}", {}),
        "schedule_target": render(f"schedule_{kind}", {}),
        "memory_target": render(f"memory_{kind}", {}),
    }
    return render("language", values)


def card_text(facts: CardFacts, profile: Profile, budget: Budget, *, short: bool = False) -> str:
    """Write the card of one workload; the short form leaves the examples to turns."""
    values = {
        "title": facts.title,
        "signature": facts.signature,
        "outputs": ", ".join(facts.outputs),
        "arithmetic": facts.arithmetic,
        "reference": _reference(facts),
        "target": profile.target,
        "device": device_text(profile),
        "budget": str(budget.whole()),
    }
    if short:
        return render("card_short", values)
    return render("card", {**values, "examples": examples_text(facts, profile.target)})


def examples_text(facts: CardFacts, target: str) -> str:
    """Write the worked examples that are nearest to a workload."""
    return "\n\n".join(_example_text(example, target) for example in _examples(facts))


def _examples(facts: CardFacts) -> tuple[Example, ...]:
    if facts.canonical is None:
        return nearest_examples(facts.signature, facts.pytorch)
    # By what is computed: words of schedules are in every text.
    return nearest_examples(facts.signature, facts.canonical.partition("\n    with schedule(")[0])


def _example_text(example: Example, target: str) -> str:
    kernel = example.kernel_for(target).strip()
    return render("example", {"title": example.title, "pytorch": example.pytorch.strip(), "kernel": kernel})


def _shots(facts: CardFacts, target: str) -> tuple[Shot, ...]:
    """Write the examples as turns, the nearest last, where it is remembered best."""
    shots = []
    for example in reversed(_examples(facts)):
        kernel = example.kernel_for(target).strip()
        asked = {
            "title": example.title,
            "pytorch": example.pytorch.strip(),
            "signature": kernel.partition("\n")[0],
        }
        shots.append(Shot(render("shot_task", asked), render("shot_answer", {"kernel": kernel})))
    return tuple(shots)


def device_text(profile: Profile) -> str:
    """Say what a writer of kernels needs to know of a device, one line."""
    facts = [profile.title]
    if profile.target in GPU_TARGETS:
        facts += [
            f"at most {profile.max_threads:,} threads a block",
            f"{profile.shared_bytes:,} B of shared memory a block",
        ]
    else:
        caches = " and ".join(f"{size // 1024:,} KiB" for size in profile.cache_bytes)
        facts += [
            f"{profile.threads} threads",
            f"vectors of {profile.vector_bytes} B ({profile.vector_bytes // 4} f32)",
            f"{profile.vector_registers} vector registers",
            f"data caches of {caches}",
        ]
    if profile.instructions:
        facts.append(f"tensorize: {', '.join(profile.instructions)}")
    return "; ".join([*facts, *(quirk.rstrip(".") for quirk in profile.quirks)])


def render(name: str, values: Mapping[str, str]) -> str:
    """Fill in a template of `prompts`, whose places are all filled and whose values are all used.

    Args:
        name: Name of the file without its ending.
        values: One text for each place.

    Raises:
        InternalError: When a place has no value, or a value no place.
    """
    template = Template((PROMPTS / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n"))
    wanted = set(template.get_identifiers())
    if wanted != values.keys() or not template.is_valid():
        raise InternalError(f"prompt {name!r}: places {sorted(wanted)}, values {sorted(values)}")
    return template.substitute(values)


def _reference(facts: CardFacts) -> str:
    if facts.canonical is not None:
        return render("reference_optimise", {"canonical": facts.canonical.strip()})
    # A reader needs the sizes that the function speaks of; the others stand in the signature as numbers.
    spoken = {n: v for n, v in facts.sizes.items() if re.search(rf"\b{re.escape(n)}\b", facts.pytorch)}
    sizes = ", ".join(f"{name} = {value}" for name, value in sorted(spoken.items()))
    values = {"pytorch": facts.pytorch.strip(), "sizes": f"with {sizes}" if sizes else ""}
    return render("reference_write", values).rstrip()
