"""One card for several targets: one text is asked for, with a schedule and a memory block for each."""

from collections.abc import Sequence
from dataclasses import replace

from edgekernelbench.agents.card import GPU_TARGETS, device_text, render
from edgekernelbench.agents.protocol import Task
from edgekernelbench.profiles.profile import Profile


def widen_task(task: Task, others: Sequence[Profile], *, short: bool) -> Task:
    """Say in a task that its text is judged on other devices too.

    Args:
        task: The task of the first device.
        others: The other devices.
        short: Whether the task shows the short language reference.

    Returns:
        The task; the same where there are no others of another target.
    """
    kinds = [p for p in others if p.target != task.target]
    if not kinds:
        return task
    devices = "\n".join(f"- {profile.target}: {device_text(profile)}" for profile in kinds)
    blocks = ", ".join(f'schedule("{target}") and memory("{target}")' for target in _once(kinds))
    prompt = (
        f"{task.prompt}\n\nThe same text is judged on other devices too:\n{devices}\n"
        f"Add blocks for them: {blocks}. A target without blocks runs as the language says, plainly."
    )
    return replace(task, system=f"{task.system}{_references(task.target, kinds, short=short)}", prompt=prompt)


def _once(profiles: Sequence[Profile]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(profile.target for profile in profiles))


def _references(first: str, others: Sequence[Profile], *, short: bool) -> str:
    """Give the directives of the other kinds of target, each kind once."""
    shown = {_kind(first)}
    parts = []
    for target in _once(others):
        kind = _kind(target)
        if kind in shown:
            continue
        shown.add(kind)
        names = (f"schedule_short_{kind}",) if short else (f"schedule_{kind}", f"memory_{kind}")
        parts.append(f'\n\nFor schedule("{target}") and memory("{target}"):')
        parts += ["\n" + render(name, {}) for name in names]
    return "".join(parts)


def _kind(target: str) -> str:
    return "gpu" if target in GPU_TARGETS else "llvm"
