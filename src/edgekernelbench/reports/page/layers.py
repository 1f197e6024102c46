"""Where the layers of a kernel text stand, by its lines alone: refused texts have layers too."""

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"^[ \t]+with[ \t]+(compute|schedule|memory)\b[ \t]*(?:\(([^)]*)\))?[ \t]*:")
_WORD = re.compile(r"[\"']([\w-]+)[\"']")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of lines of a text.

    Attributes:
        layer: `compute`, `schedule` or `memory`.
        targets: The targets that it names; none for compute.
        first: Its first line, from 0.
        last: One past its last line.
    """

    layer: str
    targets: tuple[str, ...]
    first: int
    last: int


def parts_of(text: str, target: str) -> tuple[Part, ...]:
    """Find the layers that are meant for a target.

    Args:
        text: Any text.
        target: `llvm`, `cuda` or `opencl`; blocks of others are left out.

    Returns:
        The parts in the order of the text. What stands before the first block belongs to compute; a text
        without a block is all compute.
    """
    lines = text.split("\n")
    heads = [(at, found) for at, line in enumerate(lines) if (found := _BLOCK.match(line))]
    ends = [*(at for at, _ in heads[1:]), len(lines)][: len(heads)]
    parts = [_part(found, at, end, lines) for (at, found), end in zip(heads, ends, strict=True)]
    first = heads[0][0] if heads else len(lines)
    head = Part("compute", (), 0, _trimmed(lines, 0, first))
    if parts and parts[0].layer == "compute":
        head = Part("compute", (), 0, parts[0].last)
        parts = parts[1:]
    return (head, *(part for part in parts if not part.targets or target in part.targets))


def _part(found: re.Match[str], first: int, end: int, lines: list[str]) -> Part:
    return Part(found[1], tuple(_WORD.findall(found[2] or "")), first, _trimmed(lines, first, end))


def _trimmed(lines: list[str], first: int, end: int) -> int:
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end
