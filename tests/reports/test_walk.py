"""A trajectory as a person reads it."""

from tests.agents.leka.bench import PACKED, PARALLEL, PROFILE, START, VECTOR, fenced, plan, play
from tests.conftest import Golden

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.protocol import Track
from edgekernelbench.records.trajectories import Trajectory
from edgekernelbench.reports.walk import overview_lines, step_lines


def walked() -> Trajectory:
    answers = [
        fenced(START),
        "bandwidth: 8,448 bytes for 4,096 operations",
        plan("schedule", "all cores", "parallel", "1.9"),
        fenced('with schedule("llvm"):\n    parallel(out.zz)\n'),
        fenced(PARALLEL),
        plan("schedule", "eight lanes", "vector"),
        fenced("S = choose(8, 4)\n" + VECTOR.replace("8", "S")),
        plan("memory", "pack weights", "stride", "1.2"),
        fenced(PACKED),
        "- all cores pay twice\n- vectors alone do not",
    ]
    agent = Leka(ModelMind(), PROFILE, settings=Settings(reflect_every=3, explore=0.0))
    return play(answers, agent=agent, track=Track.WRITE, budget=Budget(submissions=9, calls=10)).trajectory


def test_the_overview_is_golden(golden: Golden) -> None:
    golden("\n".join(overview_lines(walked())))


def test_every_line_in_full_is_golden(golden: Golden) -> None:
    made = walked()
    golden(
        "\n".join(
            line for n in range(1, len(made.steps) + 1) for line in [*step_lines(made, n), "", "-" * 40]
        )
    )


def test_prompts_are_shown_when_asked_for() -> None:
    made = walked()
    assert not any("one layer at a time" in line for line in step_lines(made, 2))
    assert any("one layer at a time" in line for line in step_lines(made, 2, prompts=True))
