"""An agent from elsewhere, through the SDK's own client."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from edgekernelbench.records.outcome import Correct, Rejected
from edgekernelbench.records.store import RunFolder

WORKLOAD = "linear/gemv@n1000-k1280-f16"
TEXT = """
def gemv(x: f16[1280], w: const[f16[1000, 1280]], bias: const[f16[1000]]):
    with compute:
        acc[i]: f32[1000] = sum(f32(w[i, k]) * f32(x[k]) for k in range(1280))
        out[i]: f16[1000] = f16(acc[i] + f32(bias[i]))
        return out
"""
TOKEN = "a-token-of-this-test"  # noqa: S105
PATIENCE_S = 120


def words(root: Path, *more: str) -> list[str]:
    given = ["-w", WORKLOAD, "--compiler", "c", "--submissions", "1", "--out", str(root), *more]
    return ["-m", "edgekernelbench", "mcp", *given]


def served(root: Path) -> StdioServerParameters:
    path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else None
    return StdioServerParameters(command=sys.executable, args=words(root), env=path)


async def ask(client: Client, tool: str, **given: str) -> str:
    content: Any = (await client.call_tool(tool, given)).content[0]
    text: str = content.text
    return text


async def work(client: Client) -> None:
    """Do what an agent does: read, check, measure until nothing is left."""
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert tools == ["task", "check", "measure", "best", "budget"]
    card = await ask(client, "task")
    assert "def gemv(" in card
    assert card.endswith("Your answer is the best text that was measured, not what you say at the end.")
    assert (await ask(client, "best")).startswith("nothing has been measured")
    assert (await ask(client, "check", text="def gemv(")).startswith("refused:")
    assert (await ask(client, "check", text=TEXT)).startswith("correct on the public inputs")
    assert await ask(client, "budget") == "1 submission"
    assert (await ask(client, "measure", text=TEXT)).startswith("correct; ")
    assert (await ask(client, "measure", text=TEXT)).startswith("not measured: the budget")
    assert (await ask(client, "best")).startswith(TEXT.rstrip())
    page: Any = (await client.read_resource("ekb://language")).contents[0]
    assert "with compute:" in page.text


def test_what_it_measured_best_is_judged_when_it_has_left(tmp_path: Path) -> None:
    async def session() -> None:
        async with Client(served(tmp_path / "run"), read_timeout_seconds=PATIENCE_S) as client:
            await work(client)

    asyncio.run(session())
    # A client ends a server that is not gone after two seconds: what was stored is judged all the same.
    resume = [sys.executable, "-m", "edgekernelbench", "resume", str(tmp_path / "run")]
    subprocess.run(resume, capture_output=True, timeout=PATIENCE_S, check=True)
    folder = RunFolder(tmp_path / "run")
    (attempt,) = folder.attempts().values()
    (judgement,) = folder.judgements().values()
    assert (attempt.agent, attempt.usage.submissions, attempt.usage.checks) == ("mcp", 1, 2)
    assert folder.artifact(attempt.text or "").strip() == TEXT.strip()
    assert isinstance(judgement.outcome, Correct)
    assert len(list((tmp_path / "run" / "trajectories").rglob("*.jsonl"))) == 1


def test_who_leaves_without_a_text_has_made_an_attempt(tmp_path: Path) -> None:
    command = [sys.executable, *words(tmp_path / "run")]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    (judgement,) = RunFolder(tmp_path / "run").judgements().values()
    assert isinstance(judgement.outcome, Rejected)


def test_over_http_nobody_comes_in_without_the_token_or_from_another_site(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    command = [sys.executable, *words(tmp_path / "run", "--http", "--port", str(port))]
    environment = {**os.environ, "EKB_MCP_TOKEN": TOKEN}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            asyncio.run(visit(url))
        finally:
            server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 0, said
    (judgement,) = RunFolder(tmp_path / "run").judgements().values()
    assert isinstance(judgement.outcome, Correct)


async def visit(url: str) -> None:
    own = {"authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(timeout=PATIENCE_S) as anybody:
        await until_up(anybody, url)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        kind = {"accept": "application/json, text/event-stream"}
        assert (await anybody.post(url, json=body, headers=kind)).status_code == 401
        wrong = {**kind, "authorization": "Bearer guess"}
        assert (await anybody.post(url, json=body, headers=wrong)).status_code == 401
        elsewhere = {**kind, **own, "origin": "http://evil.example"}
        assert (await anybody.post(url, json=body, headers=elsewhere)).status_code == 403
        rebound = {**kind, **own, "host": "evil.example"}
        assert (await anybody.post(url, json=body, headers=rebound)).status_code == 421
    known = httpx2.AsyncClient(timeout=PATIENCE_S, headers=own)
    async with known, Client(streamable_http_client(url, http_client=known)) as client:
        await work(client)


async def until_up(client: httpx2.AsyncClient, url: str) -> None:
    for _ in range(PATIENCE_S * 10):
        try:
            await client.get(url)
        except httpx2.ConnectError:
            await asyncio.sleep(0.1)
        else:
            return
    pytest.fail("the server did not come up")
