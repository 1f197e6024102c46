"""Reading the pages: their fenced blocks, their links, their order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_OPENING = re.compile(r"^ *(?P<fence>`{3,})(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")? *$")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: The word behind the fence.
        title: The name of the file that it is, when it is one.
        lines: What stands in it.
        line: Number of its first line in the page.
    """

    language: str
    title: str
    lines: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def blocks(page: Path) -> Iterator[Block]:
    """List the fenced blocks of a page."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").split("\n"), start=1))
    for number, line in lines:
        opening = _OPENING.match(line)
        if opening is None:
            continue
        inside = []
        for _, inner in lines:
            if inner.strip() == opening["fence"]:
                break
            inside.append(inner)
        yield Block(opening["language"], opening["title"] or "", tuple(inside), number + 1)


def nav_pages() -> list[Path]:
    """List the pages of the site's navigation, in order."""
    # Tags of other programs, such as `!!python/name:`, are not ours to resolve.
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return [DOCS / name for name in _leaves(config["nav"])]


def _leaves(node: object) -> Iterator[str]:
    match node:
        case str():
            yield node
        case list():
            for part in node:
                yield from _leaves(part)
        case dict():
            for part in node.values():
                yield from _leaves(part)
        case _:
            raise TypeError(f"no page: {node!r}")
