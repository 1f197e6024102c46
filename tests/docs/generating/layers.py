"""`pictures/layers.svg`: the packages in their layers, drawn from the contract of imports."""

import ast
import html
import re
import textwrap
import tomllib

from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "edgekernelbench"
WIDTH, MARGIN, GAP = 900, 44, 10
TOP, ROW, STEP = 12, 52, 64
CHARS_A_PIXEL = 1 / 6.1
NEVER_MEET = {"agents", "evaluator"}

STYLE = """
  text { font-family: sans-serif; fill: #1b1f24; }
  .name { font-size: 15px; font-weight: bold; font-family: monospace; }
  .said { font-size: 11px; }
  rect { fill: #eef2fb; stroke: #3f51b5; }
  .bar { stroke: #b3261e; stroke-width: 3; }
  .down { stroke: #57606a; stroke-width: 2; fill: none; }
  .ground { fill: #ffffff; stroke: none; }
"""


def contract_layers() -> list[str]:
    """Read the layers of `Imports point down`, top first; packages beside each other stand in one line."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c["name"] == "Imports point down")
    return [layer for layer in layers if layer != "__main__"]  # a module, no package: `python -m`


def layers_picture() -> str:
    """Draw the picture."""
    layers = [layer.split(" | ") for layer in contract_layers()]
    height = TOP + STEP * len(layers)
    end = height - 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
        f"<title>The packages in layers; each imports from those below it</title>\n<style>{STYLE}</style>\n"
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n'
        f'<path class="down" d="M20 {TOP + 8} V{end} m-6 -8 l6 10 l6 -10"/>\n'
    ]
    for number, names in enumerate(layers):
        parts += _row(names, TOP + STEP * number)
    return "".join(parts) + "</svg>\n"


def _row(names: list[str], top: int) -> list[str]:
    width = (WIDTH - MARGIN - GAP * len(names)) / len(names)
    parts = []
    for place, name in enumerate(names):
        left = MARGIN + place * (width + GAP)
        parts.append(f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{ROW}" rx="4"/>\n')
        parts.append(f'<text class="name" x="{left + 10:.0f}" y="{top + 19}">{name}</text>\n')
        for line, text in enumerate(textwrap.wrap(_said(name), int((width - 14) * CHARS_A_PIXEL))):
            y = top + 33 + 12 * line
            parts.append(f'<text class="said" x="{left + 10:.0f}" y="{y}">{html.escape(text)}</text>\n')
    if set(names) >= NEVER_MEET:
        middle = MARGIN + width + GAP / 2
        parts.append(f'<path class="bar" d="M{middle:.0f} {top - 3} v{ROW + 6}"/>\n')
    return parts


def _said(name: str) -> str:
    """Give the first clause of a package's docstring."""
    folder = PACKAGE / name
    source = folder / "__init__.py" if folder.is_dir() else PACKAGE / f"{name}.py"
    said = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return re.split(r"[.:;\n]", said, maxsplit=1)[0].replace("`", "")
