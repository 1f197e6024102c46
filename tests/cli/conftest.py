"""Running command lines in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from edgekernelbench.cli.main import run


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ekb = Callable[..., Done]


@pytest.fixture
def ekb(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ekb:
    """Run `ekb` with some words; give status, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def command(*words: str) -> Done:
        capsys.readouterr()
        status = run(list(words))
        out, err = capsys.readouterr()
        return Done(int(status), out, err)

    return command
