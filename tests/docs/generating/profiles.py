"""`reference/profiles.md`: the devices that come with the product, their numbers and where those are from."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from edgekernelbench.profiles.profile import profile_names
from edgekernelbench.reports.text import bytes_text

HEAD = """\
# Devices

<!-- Made by tests/docs/test_generated.py from the profiles: run `make golden` after a change. -->

A *profile* says what a device has; every limit is checked against it before anything is compiled.
`ekb check FILE --profile NAME` and `ekb lower FILE --profile NAME` work for every profile on any machine.
`ekb doctor` says which devices this machine has, by running a kernel on each; `ekb device` is about boards
([run on a board](../guides/run-on-a-board.md)).
To describe another device, see [add a target](../guides/add-a-target.md).

The class goes with every result: `edge` and `server` are what a device is, a `stand-in` is a CPU that
plays a GPU.

"""

FACTS = {
    "threads": "CPU threads",
    "vector_bytes": "bytes of a vector",
    "vector_registers": "vector registers",
    "cache_bytes": "data caches of a core",
    "stack_bytes": "largest buffer on the stack",
    "max_threads": "threads of a block",
    "max_thread_dims": "along x, y, z",
    "shared_bytes": "shared memory of a block",
    "local_bytes": "local memory of a thread",
    "workspace_bytes": "workspace",
    "unroll_limit": "unrolled iterations of a stage",
    "instructions": "`tensorize` knows",
    "dtypes": "element types",
}


def profiles_page() -> str:
    """Write the page."""
    rows = {name: _row(name) for name in profile_names()}
    parts = [HEAD, "| profile | device | target | class |\n|---|---|---|---|\n"]
    for name, row in rows.items():
        parts.append(f"| [`{name}`](#{name}) | {row['title']} | {row['target']} | {row['device_class']} |\n")
    parts += [_section(name, row) for name, row in rows.items()]
    return "".join(parts)


def _row(name: str) -> Mapping[str, Any]:
    folder = files("edgekernelbench.profiles") / "data"
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


def _section(name: str, row: Mapping[str, Any]) -> str:
    facts = "".join(f"| {title} | {_said(key, row[key])} |\n" for key, title in FACTS.items() if key in row)
    machine = " of ".join(row[key] for key in ("cpu", "triple") if row.get(key))
    head = f"\n## {row['title']} {{ #{name} }}\n\n`{name}`, {row['target']}, {row['device_class']}"
    compiled = f"; compiled for {machine}" if machine else ""
    quirks = "".join(f"- {quirk}\n" for quirk in row.get("quirks", ()))
    sources = "".join(f"- {source}\n" for source in row.get("sources", ()))
    return (
        f"{head}{compiled}.\n\n| | |\n|---|---|\n{facts}"
        + (f"\nTo know:\n\n{quirks}" if quirks else "")
        + (f"\nSources:\n\n{sources}" if sources else "")
    )


def _said(key: str, value: object) -> str:
    if value == 0:
        return "this machine's"
    if isinstance(value, list):
        return ", ".join(_said(key, one) for one in value)
    if isinstance(value, int):
        return bytes_text(value) if key.endswith("_bytes") and key != "vector_bytes" else f"{value:,}"
    return f"`{value}`"
