"""What every catalogue must keep to."""

from edgekernelbench.conformance.expecting import expect
from edgekernelbench.workloads.catalogue import Catalogue, find_catalogue, load_catalogue
from edgekernelbench.workloads.check import check_catalogue


class CatalogueConformance:
    """Subclass it, name the entry point, and run pytest.

    Attributes:
        entry: Name of the entry point of the group `edgekernelbench.catalogues`, or a folder.
    """

    entry: str = ""

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue."""
        return find_catalogue(self.entry)

    def test_it_has_workloads(self) -> None:
        expect(self.catalogue.workloads, "expected at least one workload, found none")

    def test_its_ids_are_not_ours(self) -> None:
        ours = {workload.id for workload in load_catalogue().workloads}
        twice = sorted(ours & {workload.id for workload in self.catalogue.workloads})
        expect(not twice, f"expected ids of its own, since records name them; found {', '.join(twice)}")

    def test_it_keeps_what_a_catalogue_promises(self) -> None:
        """Texts verify, small twins agree with PyTorch; `ekb catalogue check --in` takes full sizes too."""
        found = check_catalogue(self.catalogue, full_size=False)
        lines = [f"{finding.place}: {finding.message}" for finding in found]
        expect(not found, "\n".join(["expected nothing to complain about, found:", *lines]))
