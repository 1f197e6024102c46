"""Command-line agents in runs, through the command and the judge itself."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.visits.support import NEEDS_CELLS

from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.integrity import artifact_flaws, run_flaws
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.store import RunFolder

pytestmark = NEEDS_CELLS
WORKLOAD = "linear/gemv@n1000-k1280-f16"
TEXT = """def gemv(x: f16[1280], w: const[f16[1000, 1280]], bias: const[f16[1000]]):
    with compute:
        acc[i]: f32[1000] = sum(f32(w[i, k]) * f32(x[k]) for k in range(1280))
        out[i]: f16[1000] = f16(acc[i] + f32(bias[i]))
        return out
"""
AGENT = f"""
name = "shell"
command = ["/bin/sh", "$task/agent.sh"]
[files]
"$task/kernel.txt" = '''
{TEXT}'''
"$task/agent.sh" = '''
ls
ekb check kernel.txt && ekb measure kernel.txt
ekb measure kernel.txt || ekb budget
'''
"""


def ekb(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "edgekernelbench", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def run(root: Path, agent: str, *more: str) -> subprocess.CompletedProcess[str]:
    recipe = root.parent / "recipe.toml"
    recipe.write_text(agent, encoding="utf-8")
    where = ["--suite", "full", "-w", WORKLOAD, "--compiler", "c", "--out", str(root)]
    return ekb("run", "--agent", f"cli:{recipe}", *where, *more)


def test_an_agent_in_shell_is_a_row_of_a_run(tmp_path: Path) -> None:
    done = run(tmp_path / "run", AGENT, "--submissions", "1")
    assert done.returncode == 0, done.stderr
    folder = RunFolder(tmp_path / "run")
    (attempt,) = folder.attempts().values()
    (judgement,) = folder.judgements().values()
    assert isinstance(judgement.outcome, Correct)
    assert folder.artifact(attempt.text or "").strip() == TEXT.strip()
    assert attempt.visit is not None
    assert (attempt.visit.confined, attempt.visit.canaries, attempt.usage.submissions) == (True, (), 1)
    log = folder.artifact(attempt.steps[-1])
    assert "not measured: the budget of 1 submissions is used up" in log
    assert run_flaws(folder) == artifact_flaws(folder) == ()
    assert "cli:shell" in done.stdout
    assert "100.0 %" in done.stdout


def test_an_unconfined_agent_is_in_no_table_and_no_comparison(tmp_path: Path) -> None:
    done = run(tmp_path / "run", AGENT, "--submissions", "0", "--unconfined", "--timing", "none")
    assert done.returncode == 0, done.stderr
    assert "%" not in done.stdout.partition("counted over")[0].replace("95 %", "")
    assert "cli:shell: no score, since 1 of 1 attempts worked unconfined: correct 1" in done.stdout
    told = json.loads(ekb("report", str(tmp_path / "run"), "--json").stdout)
    assert told[0]["rows"][0]["barred"] == "1 of 1 attempts worked unconfined"
    compared = ekb("compare", str(tmp_path / "run"), str(tmp_path / "run"))
    assert compared.returncode == 2
    assert "cli:shell in" in compared.stderr
    assert "is left out: 1 of 1 attempts worked unconfined" in compared.stderr
    named = ekb("compare", str(tmp_path / "run"), str(tmp_path / "run"), "--agent", "cli:shell")
    assert "is in no comparison: 1 of 1 attempts worked unconfined" in named.stderr


def test_a_start_that_fails_leaves_the_attempt_unjudged_and_is_made_again(tmp_path: Path) -> None:
    broken = 'name = "shell"\ncommand = ["/bin/sh", "-c", "echo no such flag >&2; exit 2"]\n'
    done = run(tmp_path / "run", broken, "--submissions", "0", "--timing", "none")
    assert done.returncode == 1
    (attempt,) = RunFolder(tmp_path / "run").attempts().values()
    assert attempt.ending is Ending.LOST
    assert attempt.detail == "the agent ended with status 2 before it asked for anything: no such flag"


def test_what_is_missing_is_said_before_anything_is_begun(tmp_path: Path) -> None:
    unknown = run(tmp_path / "run", 'name = "x"\ncommand = ["no-such-agent"]\ninstall = "get it"\n')
    assert (unknown.returncode, "nor on the path; get it" in unknown.stderr) == (
        3,
        True,
    )
    modelless = run(tmp_path / "other", 'name = "x"\ncommand = ["sh"]\nwires = ["openai"]\n')
    assert "agent cli:x asks a model; name one with --model" in modelless.stderr
    wires = run(tmp_path / "other", 'name = "x"\ncommand = ["sh"]\nwires = ["openai"]\n', "-m", "anthropic:m")
    assert "cli:x speaks openai, the model anthropic:m anthropic" in wires.stderr


MCP_AGENT = """
name = "through-mcp"
command = ["{python}", "$task/agent.py"]
mcp = true
sees = ["{environment}"]
[environment]
MCP_URL = "$mcp_url"
MCP_TOKEN = "$mcp_token"
[files]
"$task/agent.py" = '''
import asyncio, os
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    headers = {{"authorization": "Bearer " + os.environ["MCP_TOKEN"]}}
    known = httpx2.AsyncClient(timeout=60, headers=headers)
    async with known, Client(streamable_http_client(os.environ["MCP_URL"], http_client=known)) as client:
        print([tool.name for tool in (await client.list_tools()).tools])
        text = open("kernel.txt").read()
        for tool in ("check", "measure"):
            print((await client.call_tool(tool, {{"text": text}})).content[0].text)

asyncio.run(main())
'''
"$task/kernel.txt" = '''
{text}'''
"""


def test_an_agent_comes_through_mcp_into_its_cell(tmp_path: Path) -> None:
    environment = Path(sys.prefix)
    agent = MCP_AGENT.format(python=environment / "bin" / "python", environment=environment, text=TEXT)
    done = run(tmp_path / "run", agent, "--submissions", "1", "--timing", "none")
    assert done.returncode == 0, done.stderr
    folder = RunFolder(tmp_path / "run")
    (attempt,) = folder.attempts().values()
    log = folder.artifact(attempt.steps[-1])
    assert "['task', 'check', 'measure', 'best', 'budget']" in log
    assert (attempt.usage.submissions, attempt.detail) == (1, "the best that was measured")
    assert attempt.visit is not None
    assert attempt.visit.confined
