"""One page of where the time and the memory of an imported model go."""

from html import escape
from importlib.resources import files
from string import Template

from edgekernelbench.imports.profiling import ModelProfile, Part, advice
from edgekernelbench.reports.page.document import LIBRARIES, inside_script, json_text, policy

SCRIPTS = ("elements.js", "model.js")


def write_model_page(profile: ModelProfile) -> str:
    """Write the page of a model.

    Args:
        profile: Where its time and memory go.

    Returns:
        HTML that fetches nothing.
    """
    data = files(__package__) / "data"
    scripts = [(data / "vendor" / name).read_text(encoding="utf-8") for name in LIBRARIES]
    own = "\n".join((data / name).read_text(encoding="utf-8") for name in SCRIPTS)
    scripts.append(f'(() => {{\n"use strict";\n{own}}})();\n')
    model = profile.model
    facts = {
        "name": model.name,
        "source": model.source,
        "device": model.device,
        "total_ns": profile.total_ns,
        "weights_bytes": profile.weights_bytes,
        "peak_bytes": profile.peak_bytes,
        "gain": profile.gain,
        "advice": list(advice(profile)),
        "parts": [_part(part) for part in profile.parts],
    }
    page = Template((data / "model.html").read_text(encoding="utf-8"))
    return page.substitute(
        title=escape(f"{model.name} on {model.device}"),
        policy=policy(scripts),
        style=(data / "page.css").read_text(encoding="utf-8"),
        model=inside_script(json_text(facts)),
        scripts="\n".join(f"<script>{text}</script>" for text in scripts),
    )


def _part(part: Part) -> dict[str, object]:
    function, needs = part.function, part.function.needs
    return {
        "name": function.name,
        "operators": " ".join(function.operators),
        "runs": function.runs,
        "total_ns": part.total_ns,
        "bound_ns": None if needs is None else needs.bound_ns * function.runs,
        "kind": part.kind,
        "share": function.share,
        "gain": part.gain,
        "worth": part.is_worth,
        "moved_bytes": None if needs is None else needs.moved_bytes * function.runs,
        "weights_bytes": part.weights_bytes,
        "workspace_bytes": None if needs is None else needs.workspace_bytes,
        "verdict": function.verdict or function.reason,
    }
