"""Runs the ```console blocks of a page in a folder, and compares what they print with what the page says.

A block holds commands, lines that start with `$ `, each followed by what it prints. In that, `…` stands for
anything, over several lines too, and numbers of times and ratios may be any.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import Block, blocks

PROMPT = "$ "
ANYTHING = "…"
PATIENCE_S = 600.0
MARK = "\0"

_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_TIMES = re.compile(rf"{_NUMBER} (?:ns|us|µs|ms|s)\b|{_NUMBER}(?= times)")


@dataclass(frozen=True)
class Command:
    """A command of a page.

    Attributes:
        words: As typed.
        expected: What it prints, by the page.
        line: Its line in the page.
    """

    words: str
    expected: str
    line: int


def commands(block: Block) -> Iterator[Command]:
    """Take a block apart."""
    expected: list[str] = []
    words, start = "", 0
    for number, line in enumerate(block.lines, start=block.line):
        if line.startswith(PROMPT):
            if words:
                yield Command(words, "\n".join(expected), start)
            words, expected, start = line.removeprefix(PROMPT), [], number
        elif words:
            expected.append(line)
        else:
            raise ValueError(f"line {number}: a console block begins with a command")
    if words:
        yield Command(words, "\n".join(expected), start)


def agrees(expected: str, actual: str) -> bool:
    """Whether an output is what a page says, times and `…` aside."""
    parts = [re.escape(part) for part in _settled(expected).split(ANYTHING)]
    return re.fullmatch(".*?".join(parts), _settled(actual), re.DOTALL) is not None


def _settled(text: str) -> str:
    lines = [line.rstrip() for line in _TIMES.sub("#", text).strip("\n").split("\n")]
    return "\n".join(lines)


def play(page: Path, folder: Path, earlier: tuple[Path, ...] = ()) -> list[str]:
    """Write the files of a page and run its commands, in the order of the page.

    Args:
        page: The page.
        folder: Where.
        earlier: Pages whose files are there already.

    Returns:
        What does not agree, one text each.
    """
    for before in earlier:
        for block in blocks(before):
            _write(block, folder)
    complaints = []
    for block in blocks(page):
        _write(block, folder)
        if block.language == "console":
            complaints += _run(page, block, folder)
    return complaints


def _write(block: Block, folder: Path) -> None:
    if block.title:
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def _run(page: Path, block: Block, folder: Path) -> list[str]:
    """Run the commands of a block in one shell, so that `$?` means the command before."""
    found = list(commands(block))
    lines = [f"(exit ${{status:-0}})\n{one.words}\nstatus=$?\nprintf '\\0'" for one in found]
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    printed = done.stdout.split(MARK)
    return [
        f"{page.name}:{one.line}: $ {one.words}\nexpected:\n{one.expected}\nfound:\n{actual.rstrip()}\n"
        for one, actual in zip(found, printed, strict=False)
        if not agrees(one.expected, actual)
    ]


def _environment() -> Mapping[str, str]:
    own = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
