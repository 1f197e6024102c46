"""Releases: what they freeze, and what of it is different now."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import edgekernelbench
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.provenance import package_versions
from edgekernelbench.evaluator.references import read_tuned
from edgekernelbench.records.release import ReferenceFacts, ReleaseRecord
from edgekernelbench.records.store import write_atomically
from edgekernelbench.workloads.catalogue import load_catalogue

RELEASE = "2026.1"
"""The release that this code makes records of."""

CHANGED = "+changed"
"""Ending of a release's name in records that were made with something else than was frozen."""

COMPILERS = ("apache-tvm", "apache-tvm-ffi")
"""Packages whose version decides how fast a reference is."""

BESIDE = ("numpy", "torch", "onnxruntime")
"""Packages that are listed: of the oracle and of the vendor. They change no name of a release: a machine may
lack the vendor's, and every run stores its own versions."""

SOURCE = Path(edgekernelbench.__file__).parent
DATA = Path(__file__).parent / "data" / "releases"

_PARTS = {
    "cards": ("agents/prompts", "agents/data/pool", "agents/card.py", "agents/examples.py"),
    "default-rules": ("lowering",),
    "language": ("ir", "lang", "verify", "nest"),
    "judge": (
        "evaluator/compare.py", "evaluator/exam.py", "evaluator/ring.py", "evaluator/timing.py",
        "evaluator/vendor.py", "metrics", "workloads/inputs.py", "workloads/sampling.py",
    ),
}  # fmt: skip
"""Which files make each part that is hashed; the catalogue hashes itself."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it was frozen.

    Attributes:
        what: The part.
        frozen: What the release says; empty when it says nothing.
        now: What is there; empty when nothing is.
    """

    what: str
    frozen: str
    now: str


def release_folder(name: str = RELEASE) -> Path:
    """Say where a release is kept: `release.json`, and the tuned references beside it."""
    return DATA / name


def describe_release(name: str = RELEASE, folder: Path | None = None) -> ReleaseRecord:
    """Describe what is there now as a release.

    Args:
        name: Its id.
        folder: Where tuned references are; None for those of the release.

    Raises:
        RecordError: When a reference cannot be read.
    """
    catalogue = load_catalogue()
    versions = package_versions()
    return ReleaseRecord(
        id=name,
        frozen=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        catalogue_version=catalogue.version,
        patterns=len(catalogue.patterns),
        workloads=len(catalogue.workloads),
        hashes={"catalogue": catalogue.hash, **_hashes()},
        versions={p: versions[p] for p in (*COMPILERS, *BESIDE) if p in versions},
        references=_references(release_folder(name) if folder is None else folder),
    )


def freeze_release(name: str, baselines: Path | None) -> Path:
    """Write a release: its references, and what is there now.

    Args:
        name: Its id.
        baselines: Folder of tuned references that are copied; None keeps those that are there.

    Returns:
        The folder.

    Raises:
        RecordError: When a reference cannot be read.
    """
    folder = release_folder(name)
    folder.mkdir(parents=True, exist_ok=True)
    if baselines is not None:
        for path in sorted(baselines.glob("*.jsonl")):
            records = sorted(read_tuned(path).values(), key=lambda r: r.workload)
            write_atomically(folder / path.name, b"".join(r.line().encode() + b"\n" for r in records))
    record = describe_release(name)
    write_atomically(
        folder / "release.json", record.model_dump_json(by_alias=True, indent=1).encode() + b"\n"
    )
    _name_now.cache_clear()
    return folder


def read_release(name: str = RELEASE) -> ReleaseRecord:
    """Read a release.

    Raises:
        PrerequisiteError: When it was never frozen.
        RecordError: When it cannot be read.
    """
    path = release_folder(name) / "release.json"
    if not path.is_file():
        known = ", ".join(sorted(p.parent.name for p in DATA.glob("*/release.json"))) or "none"
        raise PrerequisiteError(
            f"there is no release {name}", f"there is {known}; `ekb release freeze` makes one"
        )
    return ReleaseRecord.read(path.read_text(encoding="utf-8"), path.name)


def differences(frozen: ReleaseRecord, now: ReleaseRecord) -> tuple[Difference, ...]:
    """Say what is not as it was frozen."""
    return tuple(
        Difference(what, before, after) for what, before, after in _pairs(frozen, now) if before != after
    )


def release_name() -> str:
    """Name the release of records that are made now, with `+changed` when what decides scores differs."""
    return _name_now()


@cache
def _name_now() -> str:
    path = release_folder() / "release.json"
    if not path.is_file():
        return RELEASE + CHANGED
    found = differences(read_release(), describe_release())
    return RELEASE + CHANGED if any(d.what not in BESIDE for d in found) else RELEASE


def _pairs(frozen: ReleaseRecord, now: ReleaseRecord) -> Iterator[tuple[str, str, str]]:
    yield "catalogue version", frozen.catalogue_version, now.catalogue_version
    for what in _both(frozen.hashes, now.hashes):
        yield what, frozen.hashes.get(what, ""), now.hashes.get(what, "")
    for what in _both(frozen.versions, now.versions):
        yield what, frozen.versions.get(what, ""), now.versions.get(what, "")
    for what in _both(frozen.references, now.references):
        before, after = frozen.references.get(what), now.references.get(what)
        yield f"references of {what}", before.file if before else "", after.file if after else ""


def _both(a: Iterable[str], b: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*a, *b]))


def _hashes() -> dict[str, str]:
    return {part: _hash(SOURCE / place for place in places) for part, places in _PARTS.items()}


def _hash(places: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for place in places:
        files = sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]
        for path in files:
            if "__pycache__" not in path.parts:
                data = path.read_bytes()
                digest.update(f"{path.relative_to(SOURCE).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]


def _references(folder: Path) -> dict[str, ReferenceFacts]:
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        records = read_tuned(path).values()
        found[path.stem] = ReferenceFacts(
            file=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
            workloads=len(records),
            metaschedule=sum(r.choice == "metaschedule" for r in records),
            trials=tuple(sorted({r.trials for r in records})),
            machines=tuple(sorted({f"{r.device.cpu}, {r.device.threads} threads" for r in records})),
        )
    return found
