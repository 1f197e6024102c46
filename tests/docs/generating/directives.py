"""`reference/directives.md`: each directive, and the nest without it and with it."""

from tests.docs.pages import ROOT

from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.words import MEMORY_WORDS, SCHEDULE_WORDS
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

FOLDER = ROOT / "examples" / "directives"
HERE = "# here"
PROFILES = {"llvm": "x86-small", "cuda": "cuda-sm87"}
"""Of devices that are not probed, so that the page is the same on every machine."""

KEPT = ("before:", "run:", "  ", "memory:", "launch")
GIVEN = (" (param, ", " (output, ")
"""Lines of a nest that tell the effect of a directive, and those that are the same with and without it."""

HEAD = """\
# Directives, before and after

<!-- Made by tests/docs/test_generated.py from examples/directives: run `make golden` after a change. -->

What each directive does to a nest. The line marked `# here` is the only difference between the two nests.
[The language](language.md) says what a directive needs; `ekb check FILE --nest` prints such a nest for any
text; [what a nest is](../explanation/nest.md) says how to read one.

"""


def directives_page() -> str:
    """Write the page."""
    parts = [HEAD]
    for layer, words in (("Schedule", SCHEDULE_WORDS), ("Memory", MEMORY_WORDS)):
        links = " · ".join(f"[`{word}`](#{word})" for word in words)
        parts.append(f"{layer}: {links}\n\n")
    for layer, words in (("Schedule", SCHEDULE_WORDS), ("Memory", MEMORY_WORDS)):
        parts.append(f"## {layer}\n\n")
        parts += [_section(word) for word in words]
    return "".join(parts).rstrip("\n") + "\n"


def _section(word: str) -> str:
    text = (FOLDER / f"{word}.kir").read_text(encoding="utf-8")
    before = "\n".join(line for line in text.splitlines() if not line.endswith(HERE))
    target = "cuda" if "cuda" in text else "llvm"
    shown = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith('"""')) + "\n"
    kernel = parse(text)
    without, having = _nest(parse(_whole(before)), target), _nest(kernel, target)
    return (
        f"### {word} {{ #{word} }}\n\n{kernel.doc}\n\n```python\n{shown}```\n\n"
        f"Without:\n\n```text\n{without}```\n\nWith:\n\n```text\n{having}```\n\n"
    )


def _whole(text: str) -> str:
    """Drop the head of a block of which nothing is left."""
    lines = text.splitlines()
    kept = [
        line
        for number, line in enumerate(lines)
        if not (line.startswith("    with ") and not (lines[number + 1 : number + 2] or [""])[0].strip())
    ]
    return "\n".join(kept) + "\n"


def _nest(kernel: Kernel, target: str) -> str:
    """Print the loops, and what is stored; parameters and stages are the same in both."""
    nest = build_nest(verify_compute(kernel), target, load_profile(PROFILES[target]))
    lines = print_nest(nest).splitlines()
    kept = []
    for line in lines:
        if line.startswith("stages:"):
            break
        if line.startswith(KEPT) and not any(role in line for role in GIVEN):
            kept.append(line)
    return "\n".join(kept) + "\n"
