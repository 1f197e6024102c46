"""Legitimate rewrites of catalogue texts: the same values by another algorithm, written by hand.

A rewrite stands under `data/honest/<pattern id>/<name>.kir`, where it is for every workload of the pattern,
or under `data/honest/<workload id>/`, where it is for that workload alone. Like the pattern's own text it
leaves sizes open, and its docstring says what is done otherwise.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import read
from edgekernelbench.workloads.catalogue import Catalogue
from edgekernelbench.workloads.schema import Workload

FOLDER = Path(str(files("edgekernelbench.battery"))) / "data" / "honest"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite.

    Attributes:
        target: Id of a pattern or of a workload.
        name: The technique, as a file is named.
        text: The text with its sizes open.
    """

    target: str
    name: str
    text: str

    @property
    def id(self) -> str:
        """`family/pattern/name`, or `family/pattern@sizes-dtype/name`."""
        return f"{self.target}/{self.name}"

    @property
    def technique(self) -> str:
        """What is done otherwise: the docstring."""
        return " ".join(self.text.split('"""')[1].split())

    def workloads(self, catalogue: Catalogue) -> tuple[Workload, ...]:
        """List the workloads that it is for.

        Raises:
            CatalogueError: When there are none.
        """
        found = tuple(w for w in catalogue.workloads if self.target in (w.id, w.pattern.id))
        if not found:
            raise CatalogueError(
                f"data/honest/{self.id}: expected a pattern or workload, found {self.target}"
            )
        return found

    def kernel(self, workload: Workload) -> Kernel:
        """Bind its sizes.

        Args:
            workload: One that it is for, or the twin of one.

        Raises:
            SourceError: When the text is wrong with these sizes.
        """
        text = read(self.text)
        return text.bind({name: workload.sizes[name] for name in text.free})


@cache
def load_rewrites() -> tuple[Rewrite, ...]:
    """Read all rewrites, sorted by id."""
    found = [
        Rewrite(path.parent.relative_to(FOLDER).as_posix(), path.stem, path.read_text(encoding="utf-8"))
        for path in FOLDER.glob("*/*/*.kir")
    ]
    return tuple(sorted(found, key=lambda rewrite: rewrite.id))
