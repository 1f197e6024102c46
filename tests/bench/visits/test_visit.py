"""Agents with a model of their own, behind the counting proxy, and what they are given."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.agents.support import Canned, completion, serving
from tests.bench.visits.support import NEEDS_CELLS, TASK, Held

from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.protocol import Answer, Track
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.bench.feedback import NothingLearnt

pytestmark = NEEDS_CELLS
ASKING = """
echo 'def k(): x' > k; ekb measure k
python3 - <<'END'
import json, os, urllib.error, urllib.request
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
body = {"model": "another-model", "messages": [{"role": "user", "content": "what now?"}]}
headers = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type": "application/json"}
asked = urllib.request.Request(url, json.dumps(body).encode(), headers)
for _ in range(4):
    try:
        with urllib.request.urlopen(asked) as answer:
            print("told:", json.load(answer)["choices"][0]["message"]["content"])
    except urllib.error.HTTPError as error:
        print("refused:", error.code)
END
"""


def ask(held: Held, answer: Canned) -> tuple[Answer, list[dict[str, object]]]:
    with serving([answer]) as fake:
        upstream = Upstream("pinned", openai=f"{fake.url}/v1", key="the-key-of-this-test")
        visitor = held.visitor(ASKING, upstream=upstream, wires=("openai",))
        return visitor.solve(TASK, held.doors()), fake.asked


def test_its_calls_are_counted_its_model_is_pinned_and_its_budget_ends(tmp_path: Path) -> None:
    held = Held(tmp_path / "run", Ledger(Budget(submissions=1, tokens=220)))
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    answer, asked = ask(held, completion("go on", usage=usage))
    said = [line for line in answer.log.splitlines() if line.startswith(("told", "refused"))]
    assert said == ["told: go on", "told: go on", "refused: 403", "refused: 403"]
    assert {body["model"] for body in asked} == {"pinned"}
    assert (held.ledger.calls, held.ledger.usage.input, held.ledger.usage.output) == (2, 200, 20)
    assert answer.source == "def k(): x\n"
    assert "the-key-of-this-test" not in answer.log


def test_an_endpoint_that_fails_leaves_the_attempt_unjudged(tmp_path: Path) -> None:
    with pytest.raises(NothingLearnt, match="the endpoint of the agent's model failed"):
        ask(Held(tmp_path / "run"), Canned('{"error": {"message": "overloaded"}}', status=503))


def test_a_request_that_the_endpoint_refuses_is_the_agents_own_fault(tmp_path: Path) -> None:
    held = Held(tmp_path / "run")
    answer, asked = ask(held, Canned('{"error": {"message": "too long"}}', status=400))
    assert (answer.source, held.ledger.calls, len(asked)) == ("def k(): x\n", 0, 4)


def test_in_the_optimise_track_it_finds_the_text_that_everybody_is_given(tmp_path: Path) -> None:
    held = Held(tmp_path / "run")
    task = replace(TASK, track=Track.OPTIMISE, start="def given(): xx\n")
    answer = held.visitor("ekb measure kernel.kir; cat TASK.md").solve(task, held.doors())
    assert answer.source == "def given(): xx\n"
    assert "kernel.kir holds a kernel text that is correct" in answer.log
    assert "kernel.kir" not in Held(tmp_path / "other").visit("ls; cat TASK.md; ekb budget").log


def test_plain_c_has_the_rules_of_c(tmp_path: Path) -> None:
    task = replace(TASK, written_in="c", language="", system="the rules of C")
    log = (
        Held(tmp_path / "run")
        .visitor("cat LANGUAGE.md TASK.md; ekb budget")
        .solve(task, Held(tmp_path / "run").doors())
        .log
    )
    assert "the rules of C" in log
    assert "Write one C function" in log


def test_the_time_of_the_budget_is_its_own_time(tmp_path: Path) -> None:
    held = Held(tmp_path / "run", Ledger(Budget(submissions=3, seconds=1.5)))
    visit = held.visit("echo 'def k(): x' > k; ekb measure k; while true; do sleep 0.1; echo on; done").visit
    assert visit is not None
    assert visit.end == "wall"
    assert visit.wall_ms < 30_000
    assert held.ledger.best is not None
