"""Loading, filtering and naming what the catalogue has."""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.base.plugins import (
    Group,
    call_plugin,
    find_plugin,
    load_plugin,
    plugin_names,
    refuse_plugin,
)
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.held_out import hold_out, original_of
from edgekernelbench.workloads.schema import (
    Domain,
    Level,
    Pattern,
    Size,
    Workload,
    WorkloadFile,
    WorkloadRow,
)

DATA = Path(__file__).parent / "data"
"""The catalogue that comes with the package."""

VERSION_FILE = "VERSION"
ROWS_FILE = "workloads.toml"
SUITES_FOLDER = "suites"
"""Has lists of ids, `NAME.txt`: suites that are not named in rows, and do not change the catalogue's hash."""

NAMED = 3
"""Workloads of a pattern that a message names."""

TUPLES = ("fan", "axes", "values", "lift")
"""Keys of draws that take several numbers."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All patterns and workloads of one folder.

    Attributes:
        version: What the folder's `VERSION` says.
        hash: The first 16 digits of a hash over all its files.
        patterns: Sorted by id.
        workloads: Sorted by id.
    """

    version: str
    hash: str
    patterns: tuple[Pattern, ...]
    workloads: tuple[Workload, ...]

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites that a workload names, sorted."""
        return tuple(sorted({suite for w in self.workloads for suite in w.suites}))

    def pattern(self, pattern_id: str) -> Pattern:
        """Find a pattern by `family/name`.

        Raises:
            CatalogueError: When there is none; it names the nearest.
        """
        found = {p.id: p for p in self.patterns}
        if pattern_id not in found:
            raise CatalogueError(_unknown("pattern", pattern_id, found))
        return found[pattern_id]

    def workload(self, workload_id: str) -> Workload:
        """Find a workload by id; one with a seed in it, as `held_out` makes them, is drawn.

        Raises:
            CatalogueError: When there is none; it names the nearest, or those of the pattern or family that
                was named.
        """
        held = original_of(workload_id)
        if held is not None:
            original, seed = held
            return hold_out(self.workload(original), seed)
        found = {w.id: w for w in self.workloads}
        if workload_id in found:
            return found[workload_id]
        names = self._names()
        several = [w for w in found if workload_id in names[w]]
        if len(several) == 1:
            raise CatalogueError(f"no workload {workload_id}; did you mean {several[0]}?")
        if several:
            first = ", ".join(several[:NAMED]) + (", …" if len(several) > NAMED else "")
            raise CatalogueError(f"no workload {workload_id}, but it has {len(several)}: {first}; name one")
        # Whoever wrote no sizes meant a pattern.
        known = found if "@" in workload_id else {name for several in names.values() for name in several}
        raise CatalogueError(_unknown("workload", workload_id, known))

    def select(
        self,
        ids: Iterable[str] = (),
        *,
        suite: str = "full",
        domain: Domain | None = None,
        level: Level | None = None,
        dtype: DType | None = None,
        family: str | None = None,
    ) -> tuple[Workload, ...]:
        """List workloads that have everything that is asked for.

        Args:
            ids: Workload, pattern or family names, or ids of held-out workloads; empty means all.
            suite: Only of this suite.
            domain: Only of this domain; None means any.
            level: Only of this level; None means any.
            dtype: Only of this main element type; None means any.
            family: Only of this family; None means any.

        Returns:
            Workloads sorted by id, each once.

        Raises:
            CatalogueError: When a name or the suite is unknown.
        """
        if suite not in self.suites:
            raise CatalogueError(_unknown("suite", suite, self.suites))
        names = tuple(ids)
        drawn = {name: self.workload(name) for name in names if original_of(name) is not None}
        named = {w.id for name in names if name not in drawn for w in self._named(name)}
        rows = [w for w in self.workloads if w.id in named] if names else self.workloads
        return tuple(
            w
            for w in sorted((*rows, *drawn.values()), key=lambda w: w.id)
            if suite in w.suites
            and domain in (None, w.domain)
            and level in (None, w.level)
            and dtype in (None, w.dtype)
            and family in (None, w.pattern.family)
        )

    def _names(self) -> dict[str, tuple[str, ...]]:
        """Say by which names each workload is found."""
        return {w.id: (w.id, w.pattern.id, w.pattern.family, w.pattern.name) for w in self.workloads}

    def _named(self, name: str) -> tuple[Workload, ...]:
        names = self._names()
        found = tuple(w for w in self.workloads if name in names[w.id])
        if not found:
            known = {known for several in names.values() for known in several}
            raise CatalogueError(_unknown("workload", name, known))
        return found


@cache
def load_catalogue(folder: Path = DATA) -> Catalogue:
    """Read a catalogue; texts are parsed only when a kernel is asked for.

    Args:
        folder: A folder of families with a `VERSION` file.

    Returns:
        The catalogue.

    Raises:
        CatalogueError: When a file is missing or a row is wrong.
    """
    families = sorted(path for path in folder.iterdir() if (path / ROWS_FILE).is_file())
    rows = {family: _rows(family) for family in families}
    patterns = tuple(pattern for family in families for pattern in _patterns(family, rows[family]))
    by_id = {p.id: p for p in patterns}
    workloads = [workload for family in families for workload in _workloads(family, by_id, rows[family])]
    workloads = _with_listed_suites(folder, workloads)
    workloads.sort(key=lambda w: w.id)
    return Catalogue(_version(folder), _hash(folder), patterns, tuple(workloads))


def find_catalogue(word: str | None) -> Catalogue:
    """Find a catalogue by the word for it.

    Args:
        word: A folder, or the name of an entry point of another package; None for ours.

    Raises:
        CatalogueError: When there is none, or a file in it is wrong.
        ForeignError: When another package brings it, and it cannot be found.
    """
    if word is None:
        return load_catalogue()
    if Path(word).is_dir():
        return load_catalogue(Path(word).resolve())
    plugin = find_plugin(Group.CATALOGUES, word)
    if plugin is None:
        others = ", ".join(plugin_names(Group.CATALOGUES))
        known = f"packages bring {others}" if others else f"`ekb catalogue new {word} FAMILY/NAME` makes one"
        raise CatalogueError(f"no folder {word}; {known}")
    given = load_plugin(plugin)
    folder = call_plugin(plugin, "gives no folder", given) if callable(given) else given
    if not isinstance(folder, Path) or not folder.is_dir():
        raise refuse_plugin(plugin, "the path of a folder, or a function that gives it", folder)
    return load_catalogue(folder.resolve())


def _patterns(family: Path, rows: WorkloadFile) -> list[Pattern]:
    found = []
    for text in sorted(family.glob("*.kir")):
        function = text.with_suffix(".py")
        if not function.is_file():
            raise CatalogueError(f"{family.name}/{text.name}: expected {function.name} beside it, found none")
        name = text.stem
        source = text.read_text(encoding="utf-8")
        bounds = rows.bounds.get(name, {})
        found.append(Pattern(f"{family.name}/{name}", family.name, name, source, function, bounds))
    return found


def _workloads(family: Path, patterns: dict[str, Pattern], rows: WorkloadFile) -> list[Workload]:
    return [_workload(family, row, patterns, rows.small) for row in rows.workload]


def _rows(family: Path) -> WorkloadFile:
    place = f"{family.name}/{ROWS_FILE}"
    try:
        raw = tomllib.loads((family / ROWS_FILE).read_text(encoding="utf-8"))
        return WorkloadFile.model_validate(_tuples(raw))
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{place}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CatalogueError(f"{place}: {where}: {first['msg']}, found {first['input']!r}") from error


def _tuples(value: object) -> object:
    """Turn arrays of numbers into tuples, which strict rows ask for; leave those of rows and of suites."""
    match value:
        case dict():
            return {
                key: tuple(part) if key in TUPLES and isinstance(part, list) else _tuples(part)
                for key, part in value.items()
            }
        case list():
            return [_tuples(part) for part in value]
        case _:
            return value


def _workload(
    family: Path, row: WorkloadRow, patterns: dict[str, Pattern], small: dict[str, dict[str, Size]]
) -> Workload:
    pattern_id, _, rest = row.id.partition("@")
    if pattern_id not in patterns:
        problem = _unknown("pattern", pattern_id, patterns)
        raise CatalogueError(f"{family.name}/{ROWS_FILE}: {row.id}: {problem}")
    pattern = patterns[pattern_id]
    if pattern.name not in small:
        raise CatalogueError(f"{family.name}/{ROWS_FILE}: expected {pattern.name} in [small], found none")
    return Workload(
        id=row.id,
        pattern=pattern,
        sizes=row.sizes,
        dtype=DType(rest.rpartition("-")[2]),
        accumulate=row.accumulate,
        inputs=row.inputs,
        domain=row.domain,
        level=row.level,
        source=row.source,
        tolerance_lsb=row.tolerance_lsb,
        suites=("full", *row.suites),
        small=small[pattern.name],
    )


def _with_listed_suites(folder: Path, workloads: list[Workload]) -> list[Workload]:
    """Add the suites that are lists of ids."""
    known = {w.id for w in workloads}
    listed: dict[str, list[str]] = {}
    for path in sorted((folder / SUITES_FOLDER).glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for name in (line.strip() for line in lines if line.strip() and not line.startswith("#")):
            if name not in known:
                raise CatalogueError(f"{SUITES_FOLDER}/{path.name}: {_unknown('workload', name, known)}")
            listed.setdefault(name, []).append(path.stem)
    return [replace(w, suites=(*w.suites, *listed[w.id])) if w.id in listed else w for w in workloads]


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    remedy = f"did you mean {near}?" if near else "`ekb catalogue list` shows what exists"
    return f"no {kind} {name}; {remedy}"


def _version(folder: Path) -> str:
    path = folder / VERSION_FILE
    if not path.is_file():
        raise CatalogueError(f"expected a file {VERSION_FILE} in the folder of the catalogue, found none")
    return path.read_text(encoding="utf-8").strip()


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".kir", ".py", ".toml") or path.name == VERSION_FILE:
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:16]
