"""`ekb model`."""

import subprocess
import sys

import httpx
import pytest
from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status


def test_the_list_says_how_models_are_named(ekb: Ekb) -> None:
    done = ekb("model", "list")
    assert done.status == Status.YES
    assert all(
        word in done.out
        for word in ("smollm2", "openai:NAME", "anthropic:NAME", "replay:NAME", "EKB_API_KEY")
    )
    assert ekb("model", "list", "--json").json[0]["licence"] == "Apache-2.0"


@pytest.mark.needs_model
def test_fetching_what_is_there_checks_it(ekb: Ekb) -> None:
    done = ekb("model", "fetch", "smollm2", "--json")
    assert done.status == Status.YES
    assert done.json["bytes"] == 98_362_432


@pytest.mark.needs_model
def test_serve_prints_an_address_that_answers_until_its_input_ends() -> None:
    code = "from edgekernelbench.cli.main import main; main(['model', 'serve', 'smollm2', '--threads', '1'])"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert httpx.get(f"{address}/models").json()["data"][0]["id"] == "smollm2"
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(10) == 0
