"""mini-swe-agent, which nobody here wrote, with a scripted model behind the counting proxy, confined."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.agents.support import Canned, serving
from tests.bench.visits.support import NEEDS_CELLS

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.visits.programs import program_of
from edgekernelbench.bench.visits.recipe import find_recipe
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.store import RunFolder

WORKLOAD = "norm/softmax@r591-n197-f32"
TEXT = """def softmax(x: f32[591, 197]):
    with compute:
        top[i]: f32[591] = max(x[i, j] for j in range(197))
        e[i, j]: f32[591, 197] = exp(x[i, j] - top[i])
        total[i]: f32[591] = sum(e[i, j] for j in range(197))
        out[i, j]: f32[591, 197] = e[i, j] / total[i]
        return out
"""
READ, WRITTEN = 1000, 50


def installed() -> str:
    try:
        program_of(find_recipe("mini-swe-agent"))
    except PrerequisiteError as error:
        return str(error)
    return ""


pytestmark = [
    NEEDS_CELLS,
    pytest.mark.slow,
    pytest.mark.skipif(bool(installed()), reason=installed() or "mini-swe-agent is here"),
]


def turn(number: int, command: str) -> Canned:
    call = {"name": "bash", "arguments": json.dumps({"command": command})}
    message = {
        "role": "assistant",
        "content": f"Step {number}.",
        "tool_calls": [{"id": f"call-{number}", "type": "function", "function": call}],
    }
    return Canned(
        json.dumps(
            {
                "id": f"chat-{number}",
                "object": "chat.completion",
                "created": 1,
                "model": "scripted-1",
                "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
                "usage": {
                    "prompt_tokens": READ,
                    "completion_tokens": WRITTEN,
                    "total_tokens": READ + WRITTEN,
                },
            }
        )
    )


SOLVING = (
    "cat TASK.md | head -30; ekb budget",
    f"cat > k.kir <<'END'\n{TEXT}END\nekb check k.kir",
    "ekb measure k.kir",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)


def run(root: Path, answers: Sequence[Canned]) -> tuple[subprocess.CompletedProcess[str], int]:
    with serving(answers) as fake:
        words = [
            "run",
            "--agent",
            "cli:mini-swe-agent",
            "-m",
            "openai:scripted-1",
            "--base-url",
            f"{fake.url}/v1",
        ]
        where = [
            "-w",
            WORKLOAD,
            "--compiler",
            "c",
            "--timing",
            "none",
            "--submissions",
            "2",
            "--out",
            str(root),
        ]
        command = [sys.executable, "-m", "edgekernelbench", *words, *where]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return done, len(fake.asked)


def test_it_solves_a_quick_workload_through_the_shell_and_its_tokens_are_counted(tmp_path: Path) -> None:
    done, asked = run(tmp_path / "run", [turn(at, command) for at, command in enumerate(SOLVING)])
    assert done.returncode == 0, done.stderr
    folder = RunFolder(tmp_path / "run")
    (attempt,) = folder.attempts().values()
    (judgement,) = folder.judgements().values()
    assert isinstance(judgement.outcome, Correct)
    assert folder.artifact(attempt.text or "").strip() == TEXT.strip()
    usage = attempt.usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (4, 4 * READ, 4 * WRITTEN)
    assert (asked, usage.submissions, usage.checks, usage.estimated) == (4, 1, 1, False)
    visit = attempt.visit
    assert visit is not None
    assert (visit.confined, visit.end, visit.status, visit.canaries) == (True, "left", 0, ())
    assert (visit.steps, visit.said_tokens, visit.said) == (4, (4 * READ, 4 * WRITTEN), "Submitted")
    assert "2.4.6" in visit.program
