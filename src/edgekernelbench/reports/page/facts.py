"""What the catalogue says about the workloads of a run."""

from dataclasses import dataclass

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError, SourceError
from edgekernelbench.compiler.cost import report_nest
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue
from edgekernelbench.workloads.schema import Workload


@dataclass(frozen=True, slots=True)
class WorkloadFacts:
    """What is known of a workload without running anything.

    Attributes:
        id: `family/pattern@sizes-dtype`.
        level: How much of a model it is; empty when the catalogue is not the run's.
        domain: Where it is met; empty likewise.
        dtype: The main element type, which ends the id.
        source: Where its sizes come from; empty likewise.
        operations: Of the canonical text, on floats and integers; None when unknown.
        least_bytes: Each input and output once; None when unknown.
    """

    id: str
    level: str
    domain: str
    dtype: str
    source: str = ""
    operations: int | None = None
    least_bytes: int | None = None


def same_catalogue(manifest: Manifest, catalogue: Catalogue) -> bool:
    """Whether a run was made with a catalogue: else nothing of it may be said about the run."""
    return manifest.catalogue == catalogue.hash


class FactsBook:
    """Looks facts up, each once: counting the operations of a workload takes 10 ms."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Open the book.

        Args:
            catalogue: Where workloads are looked up.
        """
        self.catalogue = catalogue
        self._priced: dict[tuple[str, str], tuple[int, int] | None] = {}

    def facts(self, manifest: Manifest, name: str, *, priced: bool) -> WorkloadFacts:
        """Say what is known of a workload of a run.

        Args:
            manifest: The run.
            name: Id of the workload.
            priced: Whether operations and bytes are wanted.

        Returns:
            The facts; its name and element type alone, when the run had another catalogue.
        """
        workload = self._find(name) if same_catalogue(manifest, self.catalogue) else None
        if workload is None:
            return WorkloadFacts(name, "", "", name.rpartition("-")[2])
        profile = profile_of(manifest) if priced else None
        operations, least_bytes = (profile and self._price(workload, profile)) or (None, None)
        return WorkloadFacts(
            name,
            str(workload.level),
            str(workload.domain),
            str(workload.dtype),
            workload.source,
            operations,
            least_bytes,
        )

    def _find(self, name: str) -> Workload | None:
        try:
            return self.catalogue.workload(name)
        except CatalogueError:
            return None

    def _price(self, workload: Workload, profile: Profile) -> tuple[int, int] | None:
        key = (workload.id, profile.name)
        if key not in self._priced:
            self._priced[key] = _price(workload, profile)
        return self._priced[key]


def _price(workload: Workload, profile: Profile) -> tuple[int, int] | None:
    """Count operations of the canonical text, and bytes of inputs and outputs; None where it does not fit."""
    try:
        report = report_nest(build_nest(verify_compute(workload.kernel()), profile.target, profile), profile)
    except SourceError:
        return None
    return report.count.flops + report.count.integer_ops, report.input_bytes + report.output_bytes


def profile_of(manifest: Manifest) -> Profile | None:
    """Find the profile of a run's device; None when it is unknown here."""
    try:
        return load_profile(manifest.device.profile)
    except (CatalogueError, PrerequisiteError):
        return None
