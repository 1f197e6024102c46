"""Whatever the documentation says to type exists: each `ekb` command, with each option."""

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import DOCS, ROOT, blocks
from typer.main import get_command

from edgekernelbench.cli.main import COMMANDS, module_of

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
_INLINE = re.compile(r"`(ekb [^`\n]+)`")
_TYPED = re.compile(r"^ *(?:\$ )?(ekb [^\n]*?(?:\\\n[^\n]*?)*)$", re.MULTILINE)
_AFTER = re.compile(r" (?:\||>|&&) ")
DOORS = {"task", "check", "measure", "best", "budget"}
"""What `ekb` knows inside an agent's cell, where it is another program."""

DOORS_PAGE = "bring-an-agent.md"
SHELL = ("", "text", "sh", "console", "bash")


def typed(page: Path) -> Iterator[str]:
    """List what a page says to type."""
    for block in blocks(page):
        if block.language in SHELL:
            for found in _TYPED.finditer(block.text):
                yield found[1].replace("\\\n", " ")
    yield from _INLINE.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))


def complaint(line: str, page: str = "") -> str:
    """Say what is wrong with a command; empty when nothing is."""
    try:
        words = shlex.split(_AFTER.split(line, maxsplit=1)[0], comments=True)[1:]
    except ValueError as error:
        return f"{line}: {error}"
    words = [word for word in words if word not in ("--plain", "…", "...")]
    if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z-]+", words[0]):
        return ""
    if page == DOORS_PAGE and words[0] in DOORS:
        return ""
    if words[0] not in COMMANDS:
        return f"{line}: there is no `ekb {words[0]}`"
    command = get_command(importlib.import_module(module_of(words[0])).app)
    return _misused(command, words[1:], line)


def _misused(command: Any, words: list[str], line: str) -> str:
    inner = getattr(command, "commands", {})
    if inner and words and re.fullmatch(r"[a-z-]+", words[0]):
        if words[0] not in inner:
            return f"{line}: there is no `{words[0]}`"
        return _misused(inner[words[0]], words[1:], line)
    known = {"--help", "-h"}
    for option in command.params:
        known |= {*option.opts, *option.secondary_opts}
    unknown = [
        word for word in words if re.match(r"--?[a-zA-Z]", word) and word.partition("=")[0] not in known
    ]
    return f"{line}: no option {', '.join(unknown)}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    complaints = [said for line in typed(page) if (said := complaint(line, page.name))]

    assert not complaints, "\n".join(complaints)


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert "no `ekb juge`" in complaint("ekb juge a.kir")
    assert "no option --fsat" in complaint("ekb judge a.kir --fsat 3")
    assert "no `shwo`" in complaint("ekb catalogue shwo x")
