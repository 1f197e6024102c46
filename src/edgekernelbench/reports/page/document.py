"""One file of HTML: styles, scripts and records in it, and a policy that lets nothing else in."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template

from edgekernelbench.reports.page.bundle import RunBundle
from edgekernelbench.reports.page.shown import harmless, shown
from edgekernelbench.reports.page.static import headlines_html, portable_html
from edgekernelbench.reports.portable import portable_scores

CHUNK = 64
"""Attempts whose details are packed together: opening one unpacks few others."""

MOST_WALK_BYTES = 3_000_000
"""What the paths of a run's agents may take of its page."""

LIBRARIES = ("d3.min.js", "plot.umd.min.js")
SCRIPTS = (
    "elements.js",
    "records.js",
    "statistics.js",
    "figures.js",
    "charts.js",
    "table.js",
    "texts.js",
    "walk.js",
    "attempt.js",
    "compare.js",
    "main.js",
)
"""In the order in which the page has them: each uses names of those before it."""


def write_page(bundles: Sequence[RunBundle], *, again_s: int | None = None) -> str:
    """Write the page of one or more runs.

    Args:
        bundles: What is known of each run.
        again_s: After how many seconds the page loads itself again; None for never.

    Returns:
        HTML that fetches nothing. The same records give the same text.
    """
    data = files(__package__) / "data"
    scripts = [(data / "vendor" / name).read_text(encoding="utf-8") for name in LIBRARIES]
    own = "\n".join((data / name).read_text(encoding="utf-8") for name in SCRIPTS)
    scripts.append(f'(() => {{\n"use strict";\n{own}}})();\n')
    title = "EdgeKernelBench: " + ", ".join(shown(b.scores.manifest.run, 80) for b in bundles)
    page = Template((data / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        title=escape(title),
        policy=policy(scripts),
        style=(data / "page.css").read_text(encoding="utf-8"),
        headlines=headlines_html([bundle.scores for bundle in bundles])
        + portable_html(portable_scores([bundle.read for bundle in bundles])),
        summary=inside_script(_summary(bundles, again_s)),
        details="\n".join(_details(bundles)),
        scripts="\n".join(f"<script>{text}</script>" for text in scripts),
    )


def _summary(bundles: Sequence[RunBundle], again_s: int | None) -> str:
    made = {"version": version("edgekernelbench"), "again_s": again_s, "chunk": CHUNK}
    return json_text({"made": made, "runs": [bundle.summary for bundle in bundles]})


def _details(bundles: Sequence[RunBundle]) -> Iterable[str]:
    for run, bundle in enumerate(bundles):
        yield _packed(f"baselines-{run}", bundle.baselines)
        yield from _walks(run, bundle)
        for start in range(0, len(bundle.details), CHUNK):
            yield _packed(f"details-{run}-{start // CHUNK}", bundle.details[start : start + CHUNK])


def _walks(run: int, bundle: RunBundle) -> Iterable[str]:
    """Pack the paths of agents one by one, as many as a page has room for; the run folder has them all."""
    room = MOST_WALK_BYTES
    for at, walk in bundle.walks.items():
        element = _packed(f"walk-{run}-{at}", walk)
        room -= len(element)
        if room < 0:
            return
        yield element


def _packed(name: str, value: object) -> str:
    data = base64.b64encode(gzip.compress(json_text(value).encode(), 9, mtime=0)).decode()
    return f'<script type="application/gzip" id="{name}">{data}</script>'


def policy(scripts: Sequence[str]) -> str:
    """Allow the scripts of this page by their hashes, styles in it, and nothing that must be fetched."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def json_text(value: object) -> str:
    """Write JSON of ASCII alone in which no text acts."""
    return json.dumps(harmless(value), ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def inside_script(text: str) -> str:
    """Write JSON so that nothing in it ends its element or begins a comment."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
