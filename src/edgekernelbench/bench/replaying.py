"""A stored attempt again, step by step, with nothing but its file: no model, no device."""

from edgekernelbench.agents.leka.replay import replay
from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.bench.contestants import model_agent
from edgekernelbench.bench.experiment import AgentSetting
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.schema import storable
from edgekernelbench.records.trajectories import Trajectory

UNREPLAYED = ("random", "metaschedule", "scripted", "mcp", "cli")
"""Agents that hold what they do next in a search of their own, in a folder of texts, or elsewhere."""


def replay_file(trajectory: Trajectory) -> list[str]:
    """Do an attempt again and compare it with its record.

    Args:
        trajectory: The record, whose head names the agent's settings.

    Returns:
        What came out differently, a sentence each; nothing when all did the same.

    Raises:
        RecordError: When the settings of the agent are not in the record, or a door is asked something
            else than the record holds.
    """
    ours = trajectory.head.extra.ekb
    if not ours.settings:
        raise RecordError(f"{ours.attempt} names no settings of its agent: it cannot be replayed")
    setting = AgentSetting.from_json(dict(ours.settings), f"{ours.attempt}: settings")
    if setting.kind in UNREPLAYED:
        raise RecordError(f"{ours.attempt}: the agent {setting.kind} draws as it goes: it cannot be replayed")
    again = replay(trajectory, model_agent(setting, load_profile(ours.profile)))
    differing = []
    steps = [step for step in trajectory.steps if step.extra.ekb.phase not in ("submit", "answer")]
    for place, (step, note) in enumerate(zip(steps, again.notes, strict=False), 1):
        was, digest = step.extra.ekb, hash_text(storable(note.text)) if note.text else None
        stored = (was.phase, was.step, was.stage, was.layer, was.text and was.text.digest, was.ratio)
        if stored != (note.phase, note.step, note.stage, note.layer, digest, note.ratio):
            differing.append(
                f"line {place}: {was.phase} came to {was.stage}, now {note.phase} to {note.stage}"
            )
    if len(steps) != len(again.notes) and again.notes:
        differing.append(f"{len(steps)} lines are stored, {len(again.notes)} came out")
    end = trajectory.end
    answer = hash_text(storable(again.answer.source)) if again.answer.source else None
    if end is not None and answer != end.final_metrics.extra.ekb.answer:
        differing.append("another text was handed in")
    return differing
