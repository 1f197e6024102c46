"""What is kept of an optimisation: `optimise.json`, rewritten whole whenever something was found."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.schema import Record

ABOUT = "optimise.json"
MODEL, KERNELS, TRAJECTORIES = "model", "kernels", "trajectories"


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class Part(Record):
    """One distinct function that was raised."""

    name: str
    """Its name in the model; its text is `kernels/NAME.kir`."""
    workload: str
    """Id of its workload in the catalogue of the model."""
    runs: int
    """How often one run of the model calls it."""
    start_ns: float
    """How long one call takes by the default lowering."""
    perfect_ns: float | None = None
    """How long one call of a perfect kernel takes, see `imports.profiling.perfect_ns`; None where that is not
    known."""
    speedup: float = 1.0
    """How many times as fast as the default lowering its text is, by the final verdict; 1 when it is that."""
    searched: bool = False
    """Whether its search has ended."""
    spent_s: float = 0.0
    """Time that the search took."""
    measured: int = 0
    """Texts that were measured."""
    note: str = ""
    """What came of it, for people."""

    @property
    def now_ns(self) -> float:
        """How long one call takes with the text that is kept."""
        return self.start_ns / self.speedup

    @property
    def gain_ns(self) -> float:
        """What a perfect kernel would save in one run of the model."""
        return self.runs * max(0.0, self.start_ns - (self.perfect_ns or 0.0))


class Whole(Record):
    """What the whole model was found to be."""

    against: str
    """What it was held against: the model's own framework, or the interpreter."""
    apart: float
    """Root mean square of the difference, beside that of the outputs; the worst output."""
    start_ns: float | None = None
    """A run with the default lowering everywhere."""
    now_ns: float | None = None
    """A run with the kernels that are kept, measured in turn with the former."""
    dropped: Annotated[tuple[str, ...], BeforeValidator(_tuple)] = ()
    """Kernels that were taken out again since the model was wrong, or slower, with them."""


class Optimisation(Record):
    """An optimisation, finished or not."""

    schema_: Literal["ekb/optimise/1"] = Field(alias="schema", default="ekb/optimise/1")
    source: str
    """The model as it was named."""
    device: str
    """Profile, or `rpc:KEY`."""
    agent: Literal["policy", "leka"]
    """Who wrote kernels."""
    model: str | None = None
    """The language model that `leka` asked."""
    budget_s: float
    """Time for all searches."""
    seed: int = 0
    """Of everything that is drawn by the agent."""
    spent_s: float = 0.0
    """Time that was used."""
    parts: Annotated[tuple[Part, ...], BeforeValidator(_tuple)] = ()
    """The functions; empty before they were timed."""
    whole: Whole | None = None
    """None before the end."""

    def part(self, name: str) -> Part:
        """Find a function by name."""
        return next(part for part in self.parts if part.name == name)

    def with_part(self, fresh: Part) -> "Optimisation":
        """Put a function in the place of the one of its name."""
        parts = tuple(fresh if part.name == fresh.name else part for part in self.parts)
        return self.model_copy(update={"parts": parts})


def load_optimisation(folder: Path) -> Optimisation:
    """Read the record of a folder.

    Raises:
        RecordError: When there is none.
    """
    path = folder / ABOUT
    if not path.is_file():
        raise RecordError(f"no {ABOUT} in {folder}; `ekb optimise MODEL --out {folder}` writes one")
    return Optimisation.read(path.read_text(encoding="utf-8"), str(path))


def store_optimisation(found: Optimisation, folder: Path) -> None:
    """Write the record, whole or not at all."""
    fresh = folder / f"{ABOUT}.new"
    fresh.write_text(found.model_dump_json(by_alias=True, indent=1) + "\n", encoding="utf-8")
    fresh.replace(folder / ABOUT)
