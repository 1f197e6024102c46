"""What a pattern and a workload are, and the rows that say so on disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.renaming import rename
from edgekernelbench.lang.parse import read
from edgekernelbench.workloads.draws import Draw
from edgekernelbench.workloads.pytorch import load_function
from edgekernelbench.workloads.wording import reword_program, reword_prose

PATTERN_ID = r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*"
WORKLOAD_ID = PATTERN_ID + r"@[a-z0-9]+(?:[x_-][a-z0-9]+)*-(?:" + "|".join(DType) + r")"
"""`family/pattern@sizes-dtype`, lower case, stable for ever."""

Size = int | float | DType
"""What a free capital of a pattern is bound to."""


class Domain(StrEnum):
    """Where on the edge a workload is met."""

    VISION = "vision"
    DETECTION = "detection"
    ISP = "isp"
    AUDIO = "audio"
    LANGUAGE = "language"
    SENSING = "sensing"
    ROBOTICS = "robotics"
    RECOMMENDATION = "recommendation"
    SIGNAL = "signal"
    LINEAR_ALGEBRA = "linear-algebra"
    HEALTH = "health"


class Level(StrEnum):
    """How much of a model a pattern is."""

    OPERATOR = "operator"
    FUSED = "fused"
    GRAPH = "graph"


def _size(value: object) -> object:
    """Take the name of an element type for the type; leave numbers as they are."""
    return DType(value) if isinstance(value, str) and value in list(DType) else value


def _word(kind: type[StrEnum]) -> BeforeValidator:
    """Let a strict model accept the words of a `StrEnum`, which a file can only hold as text."""

    def read_word(value: object) -> object:
        return kind(value) if isinstance(value, str) and value in list(kind) else value

    return BeforeValidator(read_word)


FileSize = Annotated[Size, BeforeValidator(_size)]

Bound = Annotated[list[int | float], Field(min_length=2, max_length=3)] | str
"""What a size may be: `[low, high]`, `[low, high, step]` counted from `low`, or a number of other sizes."""


class WorkloadRow(BaseModel):
    """One `[[workload]]` of a `workloads.toml`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    id: str = Field(pattern=f"^{WORKLOAD_ID}$")
    """`family/pattern@sizes-dtype`."""
    sizes: dict[str, FileSize]
    """A value for every free capital of the pattern."""
    accumulate: Annotated[DType, _word(DType)]
    """The narrowest type that sums may be held in."""
    inputs: dict[str, Draw]
    """How each parameter is drawn, by its name in the pattern."""
    domain: Annotated[Domain, _word(Domain)]
    level: Annotated[Level, _word(Level)]
    source: str = Field(min_length=8)
    """Where the sizes come from: a named layer of a named model, a paper's table, a device."""
    tolerance_lsb: int = Field(default=0, ge=0, le=4)
    """Steps by which an integer output may differ; only for outputs rounded from floats."""
    suites: list[str] = Field(default_factory=list)
    """Suites beside `full`, which has every workload."""


class WorkloadFile(BaseModel):
    """A whole `workloads.toml`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    workload: list[WorkloadRow]
    """The rows, sorted by id."""
    small: dict[str, dict[str, FileSize]]
    """For each pattern, by name, the sizes that differ in its small twin: odd, tiny, for tests."""
    bounds: dict[str, dict[str, Bound]] = Field(default_factory=dict)
    """For each pattern, by name, what its sizes and constants may be when they are redrawn."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A canonical computation: its compute layer with free sizes, and the same in PyTorch.

    Attributes:
        id: `family/name`.
        family: The folder.
        name: Name of both files and of both functions.
        source_text: The text of the `.kir` file.
        torch_path: The `.py` file.
        bounds: What sizes and constants may be when they are redrawn; what is not there stays.
    """

    id: str
    family: str
    name: str
    source_text: str = field(repr=False)
    torch_path: Path = field(repr=False)
    bounds: Mapping[str, Bound] = field(default_factory=dict, repr=False)

    @property
    def torch_text(self) -> str:
        """The PyTorch function as text, which is what a task card shows."""
        return self.torch_path.read_text(encoding="utf-8")

    def kernel(self, sizes: Mapping[str, Size]) -> Kernel:
        """Bind the free capitals.

        Args:
            sizes: A value for each of them.

        Returns:
            The canonical kernel.

        Raises:
            SourceError: When the text is wrong with these sizes.
        """
        return read(self.source_text).bind(dict(sizes))


@dataclass(frozen=True, slots=True)
class Workload:
    """A pattern with its sizes, types, inputs and the place they come from.

    Attributes:
        id: `family/pattern@sizes-dtype`.
        pattern: What is computed.
        sizes: A value for every free capital.
        dtype: The main element type, which ends the id.
        accumulate: The narrowest type that sums may be held in.
        inputs: How each parameter is drawn, by name.
        domain: Where it is met.
        level: How much of a model it is.
        source: Where the sizes come from.
        tolerance_lsb: Steps by which an integer output may differ; 0 means exact.
        suites: The suites it belongs to, `full` among them.
        small: Sizes that differ in the small twin.
        names: For a held-out workload, what it calls the function, tensors and axes of the pattern.
    """

    id: str
    pattern: Pattern
    sizes: Mapping[str, Size]
    dtype: DType
    accumulate: DType
    inputs: Mapping[str, Draw] = field(repr=False)
    domain: Domain
    level: Level
    source: str
    tolerance_lsb: int
    suites: tuple[str, ...]
    small: Mapping[str, Size] = field(repr=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False)

    def kernel(self) -> Kernel:
        """Give the canonical kernel: compute alone, numbers only."""
        kernel = self.pattern.kernel(self.sizes)
        if not self.names:
            return kernel
        outputs = {name: self.names[name] for name in kernel.compute.outputs}
        doc = reword_prose(kernel.doc, {**self._called(kernel), **outputs})
        return replace(rename(kernel, self.names), doc=doc)

    @property
    def torch_text(self) -> str:
        """The PyTorch function as a task card shows it: with the names of this workload."""
        if not self.names:
            return self.pattern.torch_text
        return reword_program(self.pattern.torch_text, self._called(self.pattern.kernel(self.sizes)))

    def _called(self, kernel: Kernel) -> dict[str, str]:
        """Give the new names of the function and its parameters."""
        return {name: self.names[name] for name in (kernel.name, *(p.name for p in kernel.params))}

    def twin(self) -> "Workload":
        """Give the same computation at tiny odd sizes, for tests that cannot afford the real ones."""
        return replace(self, id=f"{self.pattern.id}@small-{self.dtype}", sizes={**self.sizes, **self.small})

    def torch_function(self) -> Callable[..., Any]:
        """Load the PyTorch function, its keyword sizes bound.

        Running a file of this package is what the evaluator's child and the tests may do (never a
        task card, which shows `pattern.torch_text`, and never for a text that a model wrote).

        Returns:
            A function of tensors in the order of the parameters.

        Raises:
            PrerequisiteError: When PyTorch is not installed.
            CatalogueError: When the file has no function of the pattern's name.
        """
        return load_function(self.pattern.torch_path, self.pattern.name, self.sizes)
