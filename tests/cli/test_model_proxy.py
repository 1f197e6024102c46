"""`ekb model proxy`, as an agent meets it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import openai
import pytest
from tests.agents.proxy.endpoint import CHAT, KEY, Script, endpoint

PATIENCE_S = 60


@pytest.mark.parametrize("ending", ["end of input", "Ctrl-C"])
def test_it_counts_refuses_and_says_what_was_used(tmp_path: Path, ending: str) -> None:
    log = tmp_path / "calls.jsonl"
    command = [sys.executable, "-m", "edgekernelbench", "model", "proxy", "openai:pinned"]
    command += ["--calls", "2", "--log", str(log), "--json"]
    with endpoint(Script(CHAT)) as known:
        environment = {**os.environ, "EKB_BASE_URL": f"{known.url}/v1", "EKB_API_KEY": KEY}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, env=environment, text=True, **pipes) as served:  # type: ignore[call-overload]
            told = json.loads(read_json(served))
            address = told["environment"]["OPENAI_BASE_URL"]
            with openai.OpenAI(base_url=address, api_key=told["token"]) as client:
                for _ in range(2):
                    client.chat.completions.create(model="another", messages=[])
                with pytest.raises(openai.PermissionDeniedError, match="used up"):
                    client.chat.completions.create(model="another", messages=[])
            if ending == "Ctrl-C":
                served.send_signal(signal.SIGINT)
            _, said = served.communicate(timeout=PATIENCE_S)
    assert served.returncode == 0, said
    assert "2 calls, 1 refused; 24 tokens read (0 from a cache), 14 written" in said
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(row["asked"], row["usage"]["output"]) for row in rows] == [("another", 7)] * 2
    assert [asked.row["model"] for asked in known.asked] == ["pinned", "pinned"]
    assert KEY not in json.dumps(told) + said + log.read_text(encoding="utf-8")


def read_json(served: "subprocess.Popen[str]") -> str:
    """Read the object that it begins with."""
    lines: list[str] = []
    assert served.stdout is not None
    for line in served.stdout:
        lines.append(line)
        if line.startswith("}"):
            break
    return "".join(lines)


def test_a_model_without_a_key_is_said_before_it_serves() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))}
    command = [sys.executable, "-m", "edgekernelbench", "model", "proxy", "openai:gpt-9"]
    done = subprocess.run(
        command, env=environment, input="", capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "no key for 'openai:gpt-9'; set EKB_API_KEY or OPENAI_API_KEY" in done.stderr
