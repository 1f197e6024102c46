"""Reading what a model answered: a plan, a layer, conclusions. Nothing is repaired in silence."""

import re
from textwrap import dedent

from edgekernelbench.agents.extract import extract_kernel, fenced_blocks
from edgekernelbench.agents.leka.mind import NoPlan
from edgekernelbench.agents.leka.state import Author, Plan
from edgekernelbench.analysis.report import Bottleneck
from edgekernelbench.base.diagnostics import Layer

LINE = re.compile(
    r"^[\s>*#-]*(layer|bottleneck|move|change|expected)\W{0,4}:\W{0,3}(.*)$", re.IGNORECASE | re.MULTILINE
)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
GIVE_UP = re.compile(r"^[\s>*`-]*give up\b", re.IGNORECASE | re.MULTILINE)
MOST_CHARS = 400
"""What a plan says is cut here: it stands in every later prompt."""
MOST_CONCLUSIONS = 6
BELIEVABLE = 100.0
"""A hope above this is taken for a slip."""


def read_plan(answer: str, allowed: tuple[Layer, ...]) -> Plan | NoPlan:
    """Read a plan.

    Args:
        answer: What the model wrote.
        allowed: Layers that may be planned.

    Returns:
        The plan; or what is missing of it.
    """
    found = {key.lower(): value.strip(" *`.") for key, value in reversed(LINE.findall(answer))}
    layer = _word(found.get("layer", ""), [str(one) for one in allowed])
    if allowed == (Layer.TEXT,):
        layer = str(Layer.TEXT)
    if layer is None:
        names = ", ".join(allowed)
        return NoPlan(
            f"expected a line `layer:` with one of {names}, found {found.get('layer', 'none')[:60]!r}"
        )
    bottleneck = _word(found.get("bottleneck", ""), [str(one) for one in Bottleneck])
    if bottleneck is None:
        shown = found.get("bottleneck", "none")[:60]
        return NoPlan(f"expected a line `bottleneck:` with one of {', '.join(Bottleneck)}, found {shown!r}")
    change = found.get("change", "")[:MOST_CHARS]
    return Plan(
        layer=Layer(layer),
        bottleneck=Bottleneck(bottleneck),
        move=found.get("move", "")[:60] or "unnamed",
        change=change or found.get("move", "")[:MOST_CHARS],
        expected=_hope(found.get("expected", "")),
        author=Author.MODEL,
    )


def read_layer(answer: str, layer: Layer) -> str:
    """Take the text of one layer out of an answer.

    Args:
        answer: What the model wrote.
        layer: Which layer; `TEXT` for a whole kernel.

    Returns:
        The last fenced block that holds such a layer, constants above it included; without fences, the text
        from its `with` line on; empty when there is none.
    """
    whole = extract_kernel(answer)
    if layer is Layer.TEXT:
        return whole or ""
    opening = re.compile(rf"^[ \t]*with {layer}\b", re.MULTILINE)
    for block in reversed(fenced_blocks(answer)):
        if opening.search(block):
            return dedent(block).strip("\n") + "\n"
    if whole is not None and opening.search(whole):
        return whole
    loose = opening.search(answer)
    return _block(answer[loose.start() :]) if loose else ""


def gives_up(answer: str) -> bool:
    """Say whether an answer gives the other layers up."""
    return bool(GIVE_UP.search(answer))


def read_conclusions(answer: str) -> tuple[str, ...]:
    """Read conclusions: the lines of a list, at most six, each cut to a line."""
    lines = [line.strip() for line in answer.splitlines()]
    items = [
        re.sub(r"^([-*•]|\d+[.)])\s+", "", line) for line in lines if re.match(r"^([-*•]|\d+[.)])\s", line)
    ]
    kept = items or [line for line in lines if line]
    return tuple(line[:MOST_CHARS] for line in kept[:MOST_CONCLUSIONS])


def _word(text: str, known: list[str]) -> str | None:
    """Find the one known word that a text begins with, else the first that it holds."""
    words = re.findall(r"[a-z]+", text.lower())
    return next((word for word in words if word in known), None)


def _hope(text: str) -> float:
    match = NUMBER.search(text)
    value = float(match[0]) if match else 1.0
    return value if 0.0 < value <= BELIEVABLE else 1.0


def _block(text: str) -> str:
    """Cut a block that stands outside of fences: its first line and what is indented more."""
    lines = dedent(text).split("\n")
    kept = [lines[0].strip()]
    for line in lines[1:]:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        kept.append(line)
    return "\n".join(kept).strip("\n") + "\n"
