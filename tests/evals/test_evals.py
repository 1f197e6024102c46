"""The suites as tasks of Inspect, run by Inspect itself with a model that plays back answers.

Inspect's requirements contradict our pinned ones (decision 0045), so it has an environment of its own:
`make test-inspect` makes it and runs these.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.scaffold import write_pattern

inspect_ai: Any = pytest.importorskip(
    "inspect_ai", reason="Inspect has an environment of its own: `make test-inspect`"
)
# Inspect leaves streams open, and uses what its libraries advise against; neither is ours to mend.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
RIGHT = """
def ramp(x: f32[197, 384], w: const[f32[384]]):
    with compute:
        out[i, j]: f32[197, 384] = max(x[i, j] * w[j], 0.0)
        return out
"""
WRONG = RIGHT.replace("0.0)", "1.0)")
REFUSED = RIGHT.replace("w[j]", "w[j + 1]")
WORKLOAD = "door/ramp@r197-n384-f32"


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    write_pattern(tmp_path / "mine", "door/ramp")
    return str(tmp_path / "mine")


def counted(output: Any) -> Any:
    """Say how many tokens an answer has: else they are counted with what is fetched from the network."""
    from inspect_ai.model import ModelUsage  # noqa: PLC0415

    output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    return output


def said(text: str) -> Any:
    from inspect_ai.model import ModelOutput  # noqa: PLC0415

    return counted(ModelOutput.from_content("mockllm/model", text))


def asked(tool: str, text: str) -> Any:
    from inspect_ai.model import ModelOutput  # noqa: PLC0415

    return counted(ModelOutput.for_tool_call("mockllm/model", tool, {"text": text}))


def evaluated(
    tmp_path: Path, outputs: Sequence[Any], task: str = "workloads", *, solver: Any = None, **arguments: Any
) -> Any:
    """Run a task by its name, as `inspect eval edgekernelbench/TASK` does; give its log."""
    from inspect_ai.model import get_model  # noqa: PLC0415

    (log,) = inspect_ai.eval(
        f"edgekernelbench/{task}",
        model=get_model("mockllm/model", custom_outputs=list(outputs)),
        task_args={"compiler": "c", **arguments},
        epochs=len(outputs) if arguments.get("submissions", 0) == 0 else 1,
        max_samples=1,
        log_dir=str(tmp_path / "logs"),
        display="none",
        solver=solver,
    )
    return log


def shares(log: Any) -> dict[str, float]:
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def fenced(text: str) -> str:
    return f"Here it is:\n```python\n{text}```\n"


def test_scores_are_ours_over_all_attempts(tmp_path: Path, catalogue: str) -> None:
    outputs = [said(fenced(RIGHT)), said(fenced(WRONG)), said(fenced(REFUSED)), said("I would rather not.")]
    log = evaluated(tmp_path, outputs, catalogue=catalogue, timing="none")
    assert log.status == "success", log.error
    found = shares(log)
    assert (found["Accepted@1"], found["Correct@1"]) == (0.5, 0.25)
    assert log.eval.metadata["track"] == "write"
    by_epoch = {sample.epoch: sample.scores["judged"] for sample in log.samples}
    assert by_epoch[1].metadata["judgement"]["outcome"]["kind"] == "correct"
    assert by_epoch[1].answer.strip() == RIGHT.strip()
    assert "~~~~~~text\nwrong (values)" in by_epoch[2].explanation
    assert "~~~~~~text\nrefused:" in by_epoch[3].explanation
    assert "the answer has no kernel text" in by_epoch[4].explanation
    assert by_epoch[4].value["Correct@1"] == 0


def test_a_correct_kernel_is_timed_beside_the_default(tmp_path: Path, catalogue: str) -> None:
    log = evaluated(tmp_path, [said(fenced(RIGHT))], catalogue=catalogue)
    (sample,) = log.samples
    value = sample.scores["judged"].value
    assert value["Fast@1.0"] in (0.0, 1.0)
    assert value["sure Fast@1.0"] <= value["Fast@1.0"]
    assert "times as fast as" in sample.scores["judged"].explanation


def test_without_times_nothing_is_said_of_speed(tmp_path: Path, catalogue: str) -> None:
    log = evaluated(tmp_path, [said(fenced(RIGHT))], catalogue=catalogue, timing="none")
    assert math.isnan(log.samples[0].scores["judged"].value["Fast@1.0"])


def test_the_prompt_is_the_card_with_the_rules_before_it(tmp_path: Path, catalogue: str) -> None:
    log = evaluated(tmp_path, [said("no")], catalogue=catalogue, timing="none")
    (sample,) = log.samples
    assert sample.id == WORKLOAD
    assert "def ramp(x: f32[197, 384]" in sample.input
    system, card, answer = sample.messages
    assert (system.role, card.role, answer.role) == ("system", "user", "assistant")
    assert "with compute:" in system.text
    assert card.text == sample.input
    assert sample.metadata["pattern"] == "door/ramp"


def test_an_agent_of_others_is_shown_the_same(tmp_path: Path, catalogue: str) -> None:
    from inspect_ai.solver import generate  # noqa: PLC0415

    log = evaluated(tmp_path, [said(fenced(RIGHT))], catalogue=catalogue, timing="none", solver=generate())
    (sample,) = log.samples
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert sample.scores["judged"].value["Correct@1"] == 1


def test_doors_are_tools_and_the_best_that_was_measured_counts(tmp_path: Path, catalogue: str) -> None:
    outputs = [
        asked("check", REFUSED),
        asked("check", RIGHT),
        asked("measure", RIGHT),
        asked("measure", RIGHT),
        said("I have nothing better."),
    ]
    log = evaluated(tmp_path, outputs, catalogue=catalogue, submissions=1, timing="none")
    (sample,) = log.samples
    heard = [message.text for message in sample.messages if message.role == "tool"]
    assert heard[0].startswith("refused:")
    assert heard[1].startswith("correct on the public inputs")
    assert heard[2].startswith("correct; ")
    assert heard[3].startswith("not measured: the budget of 1 submissions is used up")
    assert sample.scores["judged"].value["Correct@1"] == 1
    assert sample.scores["judged"].answer.strip() == RIGHT.strip()


def test_a_suite_of_ours_is_found_by_its_name(tmp_path: Path) -> None:
    log = evaluated(tmp_path, [said("no")], "quick", workload="norm/softmax", short=True, timing="none")
    assert [sample.id for sample in log.samples] == ["norm/softmax@r591-n197-f32"]
    # Small models are shown worked examples as turns.
    assert [message.role for message in log.samples[0].messages[:3]] == ["system", "user", "assistant"]


def test_what_cannot_be_judged_is_an_error_and_no_score(tmp_path: Path, catalogue: str) -> None:
    log = evaluated(tmp_path, [said(fenced(RIGHT))], catalogue=catalogue, compiler="gcc")
    assert log.status == "error"
    assert "there is no compiler 'gcc'" in log.error.message


def test_words_that_are_not_known_are_said(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no track 'right'; there are write and optimise"):
        evaluated(tmp_path, [said("no")], "quick", track="right")
    with pytest.raises(CatalogueError, match="no timing 'twice'"):
        evaluated(tmp_path, [said("no")], "quick", timing="twice")
