"""Find the kernel in what a model said.

Models wrap code in prose and fences, show a wrong version before the right one, and forget fences. The rule:

1. Of the fenced blocks that hold a line starting with `def`, the last counts: models correct themselves
   forwards. A fence that is never closed runs to the end (the answer was cut off).
2. Without such a block, the text outside every fence is read: from the last line that starts with `def` up to
   the first line after it that is neither blank nor indented nor closes the signature.
3. A kernel is one function: in the chosen text, what stands before its last top-level `def` is dropped, and
   what follows the function too.

Nothing else is touched: no line is repaired, no name changed.
"""

import re

from edgekernelbench.records.language import Language

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$")
OPENING = re.compile(r"^def\s+\w+\s*\(")
C_FUNCTION = re.compile(r"\bkernel\s*\(")
C_START = re.compile(r"^(#|/\*|//|static\b|typedef\b|void\b|inline\b|struct\b|enum\b)")
MAX_ANSWER_CHARS = 4_000_000
"""Longer answers hold no kernel: texts are limited to 64 KiB, and this bounds the time of the search."""


def extract_kernel(answer: str) -> str | None:
    """Take the kernel text out of an answer.

    Args:
        answer: All that the model wrote.

    Returns:
        One function, ending in a line break; None when the answer has none.
    """
    if len(answer) > MAX_ANSWER_CHARS:
        return None
    fenced, loose = _blocks(answer.replace("\r\n", "\n").split("\n"))
    for block in reversed(fenced):
        found = _function(block)
        if found is not None:
            return found
    return _function(loose)


def extract_text(answer: str, language: Language) -> str | None:
    """Take the text that was asked for out of an answer.

    Args:
        answer: All that the model wrote.
        language: What it was to be written in.
    """
    return extract_kernel(answer) if language == "kernel" else extract_c(answer)


def extract_c(answer: str) -> str | None:
    """Take a C text with the function `kernel` out of an answer.

    The last fenced block that names the function counts; without one, all from the first line that looks
    like C to the last that closes a brace.

    Args:
        answer: All that the model wrote.

    Returns:
        The text, ending in a line break; None when the answer has none.
    """
    if len(answer) > MAX_ANSWER_CHARS:
        return None
    fenced, loose = _blocks(answer.replace("\r\n", "\n").split("\n"))
    for block in reversed(fenced):
        if C_FUNCTION.search("\n".join(block)):
            return "\n".join(block).strip("\n") + "\n"
    starts = [n for n, line in enumerate(loose) if C_START.match(line)]
    ends = [n for n, line in enumerate(loose) if line.startswith("}")]
    if not starts or not ends or ends[-1] <= starts[0]:
        return None
    text = "\n".join(loose[starts[0] : ends[-1] + 1])
    return text + "\n" if C_FUNCTION.search(text) else None


def fenced_blocks(answer: str) -> list[str]:
    """Give the fenced blocks of an answer, in order, indentation of a list item removed.

    Args:
        answer: All that the model wrote.
    """
    if len(answer) > MAX_ANSWER_CHARS:
        return []
    fenced, _ = _blocks(answer.replace("\r\n", "\n").split("\n"))
    return ["\n".join(block) for block in fenced]


def _blocks(lines: list[str]) -> tuple[list[list[str]], list[str]]:
    """Sort lines into fenced blocks and what stands outside of them."""
    fenced: list[list[str]] = []
    loose: list[str] = []
    mark = ""
    for line in lines:
        match = FENCE.match(line)
        if match and not mark:
            mark = match[1]
            fenced.append([])
        elif match and match[1].startswith(mark) and line.strip() == match[1]:
            mark = ""
        elif mark:
            fenced[-1].append(line)
        else:
            loose.append(line)
    return [_dedented(block) for block in fenced], loose


def _dedented(lines: list[str]) -> list[str]:
    """Remove the indentation that a list item gave to a whole block."""
    depths = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    return [line[min(depths) :] for line in lines] if depths else lines


def _function(lines: list[str]) -> str | None:
    """Cut the last top-level function out of lines."""
    starts = [number for number, line in enumerate(lines) if OPENING.match(line)]
    if not starts:
        return None
    start = end = starts[-1]
    depth = 0
    # Only a signature may go on in a line that is not indented; brackets in the body are not counted, since
    # a docstring may hold half a pair.
    while end < len(lines):
        depth += _depth(lines[end])
        end += 1
        if depth <= 0:
            break
    while end < len(lines) and _belongs(lines[end]):
        end += 1
    return "\n".join(lines[start:end]).rstrip() + "\n"


def _belongs(line: str) -> bool:
    return not line.strip() or line[0] in " \t#"


def _depth(line: str) -> int:
    code = line.split("#", 1)[0]
    return sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
