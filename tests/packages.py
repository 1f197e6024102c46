"""Other packages, as `pip` leaves them: modules, and a `.dist-info` folder beside them."""

from collections.abc import Mapping
from pathlib import Path


def write_package(
    folder: Path, name: str, modules: Mapping[str, str], entries: Mapping[str, Mapping[str, str]]
) -> None:
    """Put a package into a folder that is on the path.

    Args:
        folder: The folder.
        name: The package's name; its version is 1.2.
        modules: Sources by the names of their files.
        entries: Entry points: by group, by name, `module:object`.
    """
    for file, source in modules.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    lines = [
        line
        for group, named in entries.items()
        for line in (f"[edgekernelbench.{group}]", *(f"{word} = {value}" for word, value in named.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
