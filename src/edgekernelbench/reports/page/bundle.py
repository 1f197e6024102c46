"""From a run folder to what the page knows of it: rows to sort and filter, details to open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.metrics.headline import Headline, Withheld
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.reference import BASELINE_OF, KINDS, MEANING
from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import FOLDER, Trajectory, read_trajectory, trajectory_path
from edgekernelbench.reports.apart import apart_attempts
from edgekernelbench.reports.page.details import detail_of, text_of
from edgekernelbench.reports.page.facts import FactsBook, WorkloadFacts, profile_of, same_catalogue
from edgekernelbench.reports.page.rows import Known, is_timed, row_of
from edgekernelbench.reports.page.walk import curve_of, gains_of, walk_of
from edgekernelbench.reports.runs import RunAttempts, RunScores, read_attempts, score_run, split_id
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

TARGETS = ("llvm", "cuda", "opencl")


@dataclass(frozen=True, slots=True)
class RunBundle:
    """What the page knows of one run.

    Attributes:
        read: The run, read.
        scores: Its scores.
        summary: Its facts and rows, as plain values: what the page holds open.
        details: One entry a row, as plain values: what the page unpacks when a row is opened.
        walks: The path of each row that has one, by its place.
        baselines: For each workload the texts of its baselines that are texts, by name.
    """

    read: RunAttempts
    scores: RunScores
    summary: dict[str, object]
    details: tuple[dict[str, object], ...]
    baselines: dict[str, dict[str, object]]
    walks: dict[int, dict[str, object]]


def bundle_run(folder: Path, book: FactsBook | None = None) -> RunBundle:
    """Read a run.

    Args:
        folder: A run folder, finished or not.
        book: Where workloads are looked up; None for the catalogue that comes with the package.

    Raises:
        RecordError: When it is no run folder, or a record cannot be read.
    """
    read = read_attempts(folder)
    scores = score_run(read)
    run = RunFolder(folder)
    manifest = read.manifest
    known = known_attempts(read)
    agents = [row.agent for row in scores.rows]
    places = {agent: place for place, agent in enumerate(agents)}
    opened = book or FactsBook(load_catalogue())
    facts = _facts(manifest, known, opened)
    target = _target(manifest, profile_of(manifest))
    paths = _paths(folder, known)
    baseline = scores.reference.baseline
    apart = apart_attempts(read.judgements, baseline)
    summary = {
        **_head(scores, opened.catalogue),
        "agents": [_agent(row, manifest) for row in scores.rows],
        "headlines": [isinstance(row, Headline) for row in scores.rows],
        "workloads": {fact.id: _fact(fact) for fact in facts},
        "rows": [
            row_of(one, places, baseline, is_apart=one.id in apart) | _gist(paths.get(at))
            for at, one in enumerate(known)
        ],
    }
    details = tuple(detail_of(one, run, target) for one in known)
    walks = {at: walk_of(path) for at, path in paths.items()}
    return RunBundle(read, scores, summary, details, _baselines(known, run, target), walks)


def _paths(folder: Path, known: Sequence[Known]) -> dict[int, Trajectory]:
    """Read the trajectory of every attempt that has one; an id that leads out of the folder has none."""
    inside = (folder / FOLDER).resolve()
    files = {at: trajectory_path(folder, one.id) for at, one in enumerate(known)}
    found = {at: path for at, path in files.items() if path.is_file()}
    return {at: read_trajectory(path) for at, path in found.items() if path.resolve().is_relative_to(inside)}


def _gist(path: Trajectory | None) -> dict[str, object]:
    """Say of a trajectory what pictures of many need."""
    if path is None:
        return {}
    return {"steps": len(path.steps), "gains": gains_of(path), "curve": curve_of(path)}


def _baselines(known: Sequence[Known], run: RunFolder, target: str) -> dict[str, dict[str, object]]:
    """Read the text of each baseline once a workload, though every timed attempt names it."""
    named: dict[str, dict[str, str]] = {}
    for one in known:
        if one.judgement is not None and one.judgement.baselines:
            named.setdefault(one.judgement.workload, {}).update(one.judgement.baselines)
    return {
        workload: {name: text_of(run, digest, target) for name, digest in texts.items()}
        for workload, texts in named.items()
    }


def known_attempts(read: RunAttempts) -> tuple[Known, ...]:
    """List what is known of every planned attempt, in the order of the plan."""
    order = {name: place for place, name in enumerate(read.judgements)}
    return tuple(
        Known(name, read.attempts.get(name), read.judgements.get(name), order.get(name))
        for name in read.manifest.planned
    )


def _facts(manifest: Manifest, known: Sequence[Known], book: FactsBook) -> list[WorkloadFacts]:
    """Look workloads up; operations and bytes only of those with a kernel that was timed."""
    timed = {one.judgement.workload for one in known if one.judgement and is_timed(one.outcome)}
    names = dict.fromkeys(split_id(one.id)[1] for one in known)
    return [book.facts(manifest, name, priced=name in timed) for name in names]


def _fact(fact: WorkloadFacts) -> dict[str, object]:
    fields = {
        "level": fact.level,
        "domain": fact.domain,
        "dtype": fact.dtype,
        "source": fact.source,
        "operations": fact.operations,
        "bytes": fact.least_bytes,
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _target(manifest: Manifest, profile: Profile | None) -> str:
    """Give the target of a run's device, by its name where its profile is not here."""
    if profile is not None:
        return profile.target
    return next((t for t in TARGETS if manifest.device.profile.startswith(t)), "llvm")


def _head(scores: RunScores, catalogue: Catalogue) -> dict[str, object]:
    manifest = scores.manifest
    return {
        "name": manifest.run,
        "folder": scores.folder,
        "started": manifest.started,
        "settings": {
            name: scores.setting(name) for name in ("suite", "track", "k", "timing", "compiler", "vendor")
        }
        | {"budget": _budget(manifest)},
        "device": manifest.device.model_dump(),
        "catalogue": manifest.catalogue,
        "release": catalogue.version if same_catalogue(manifest, catalogue) else None,
        "commit": manifest.commit,
        "dirty": manifest.dirty,
        "versions": manifest.versions,
        "flags": scores.flags,
        "reference": {"name": str(scores.reference), "baseline": scores.reference.baseline},
        "baselines": {BASELINE_OF[kind]: f"{kind}, {MEANING[kind]}" for kind in KINDS},
    }


def _budget(manifest: Manifest) -> str:
    """Say what an attempt may use: only the limits that there are."""
    limits = manifest.settings.get("budget")
    named = limits.items() if isinstance(limits, dict) else ()
    return ", ".join(f"{amount} {name}" for name, amount in named if amount is not None)


def _agent(row: Headline | Withheld, manifest: Manifest) -> dict[str, object]:
    name = row.agent
    settings = manifest.settings.get("agents")
    entries: Sequence[object] = settings if isinstance(settings, list) else ()
    found = next((e for e in entries if isinstance(e, dict) and e.get("name") == name), {})
    barred = {"barred": row.barred} if isinstance(row, Withheld) and row.barred else {}
    return {"name": name, **found, **barred}


def judged_count(bundles: Iterable[RunBundle]) -> tuple[int, int]:
    """Count how many attempts of some runs have an outcome, and how many there are."""
    rows = [row for bundle in bundles for row in bundle.scores.rows]
    judged = sum(row.attempts if isinstance(row, Headline) else row.judged for row in rows)
    return judged, sum(row.attempts for row in rows)
