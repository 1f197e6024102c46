"""Claude Code, which nobody here wrote, with a scripted model behind the counting proxy, confined."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.bench.visits.scripted_anthropic import READ, WRITTEN, scripted_anthropic
from tests.bench.visits.support import NEEDS_CELLS
from tests.bench.visits.test_mini import TEXT, WORKLOAD

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.visits.programs import program_of
from edgekernelbench.bench.visits.recipe import find_recipe
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.store import RunFolder


def installed() -> str:
    try:
        program_of(find_recipe("claude-code"))
    except PrerequisiteError as error:
        return str(error)
    return ""


pytestmark = [
    NEEDS_CELLS,
    pytest.mark.slow,
    pytest.mark.skipif(bool(installed()), reason=installed() or "Claude Code is here"),
]


def test_it_solves_a_quick_workload_through_mcp_and_the_shell(tmp_path: Path) -> None:
    tools: list[tuple[str, dict[str, object]]] = [
        ("Bash", {"command": "head -40 TASK.md; ekb budget", "description": "read"}),
        ("mcp__ekb__check", {"text": TEXT}),
        ("mcp__ekb__measure", {"text": TEXT}),
        ("Bash", {"command": f"cat > k <<'END'\n{TEXT}END\nekb measure k; ekb best", "description": "again"}),
    ]
    with scripted_anthropic(tools) as endpoint:
        words = [
            "run",
            "--agent",
            "cli:claude-code",
            "-m",
            "anthropic:scripted-1",
            "--base-url",
            endpoint.url,
        ]
        where = ["-w", WORKLOAD, "--compiler", "c", "--timing", "none", "--submissions", "2"]
        command = [sys.executable, "-m", "edgekernelbench", *words, *where, "--out", str(tmp_path / "run")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    folder = RunFolder(tmp_path / "run")
    (attempt,) = folder.attempts().values()
    (judgement,) = folder.judgements().values()
    assert isinstance(judgement.outcome, Correct)
    assert folder.artifact(attempt.text or "").strip() == TEXT.strip()
    assert attempt.usage.submissions == 2
    calls = attempt.usage.calls
    assert calls >= len(tools) + 1
    assert (attempt.usage.input_tokens, attempt.usage.output_tokens) == (calls * READ, calls * WRITTEN)
    assert {body["model"] for body in endpoint.asked} == {"scripted-1"}
    visit = attempt.visit
    assert visit is not None
    assert (visit.confined, visit.end, visit.status, visit.canaries) == (True, "left", 0, ())
    assert (visit.said, visit.steps) == ("success", len(tools) + 1)
    assert "Claude Code" in visit.program
