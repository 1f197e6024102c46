"""What is kept of an imported model beside its catalogue: `model.json`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from edgekernelbench.base.errors import RecordError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.peaks import Roof
from edgekernelbench.records.schema import Record

MODEL_FILE = "model.json"
WEIGHTS_FILE = "weights.npz"
MODULE_FILE = "module.json"
PROBE_FILE = "probe.npz"
"""Inputs `in0`, … and what the model's own framework, or else TVM, gives for them: `out0`, …"""
ONNX_FILE = "model.onnx"
"""A copy of what was imported, unless it was a program or is larger than `LARGEST_COPY`."""
LARGEST_COPY = 256 << 20

CONSTANT = "const:"
"""What the names of weights begin with among the arguments of calls."""


def _dtype(value: object) -> object:
    return DType(value) if isinstance(value, str) and value in list(DType) else value


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
Shape = Annotated[tuple[int, ...], BeforeValidator(_tuple)]


class Tensor(Record):
    """A value of the model that is no weight."""

    name: str
    dtype: Annotated[DType, BeforeValidator(_dtype)]
    shape: Shape


class Call(Record):
    """One call of a model's `main`, in order."""

    function: str
    """Name of the function of TVM in `module.json`."""
    args: Words
    """Names of inputs and of results above; `const:K` for array `K` of `weights.npz`."""
    results: Annotated[tuple[Tensor, ...], BeforeValidator(_tuple)]


class Needed(Record):
    """What a function needs on a device whatever its kernel: its place under the roofline."""

    operations: int
    moved_bytes: int
    """Outputs, and inputs that are read whatever the data say."""
    memory_ns: float
    """The least time to move them."""
    compute_ns: float
    """The least time for the operations."""
    launch_ns: float
    """The shortest run of a kernel that does next to nothing."""
    workspace_bytes: int
    """What the default lowering keeps beside inputs and outputs."""

    @property
    def bound_ns(self) -> float:
        """The least time of one call."""
        return max(self.memory_ns, self.compute_ns, self.launch_ns)

    @property
    def roof(self) -> Roof:
        """What takes the least time."""
        times = {Roof.MEMORY: self.memory_ns, Roof.COMPUTE: self.compute_ns, Roof.LAUNCH: self.launch_ns}
        return max(times, key=lambda roof: times[roof])


class Function(Record):
    """One distinct function."""

    name: str
    """Unique in the model; of a raised one, the name of its pattern."""
    functions: Words
    """Names of the functions of TVM that are this one."""
    operators: Words
    """The operators that were fused, in order."""
    workload: str | None = None
    """Id of its workload; None when it was not raised and stays with TVM."""
    nodes: Words = ()
    """Of one that was not raised: nodes of the model that have these operators, as far as names agree."""
    reason: str = ""
    """Why it was not raised; empty when it was."""
    runs: int
    """How often one run of the model calls it."""
    verdict: str = ""
    """What the judge said of the default lowering on the device; empty before it was measured."""
    time_ns: float | None = None
    """How long one call took on the device: of the default lowering, or of TVM where it stays there."""
    share: float | None = None
    """Its part of the time of all functions, from 0 to 1."""
    needs: Needed | None = None
    """What every call must do, and how long that takes at least; None where it stays with TVM."""


class ImportedModel(Record):
    """An imported model."""

    schema_: Literal["ekb/model/1"] = Field(alias="schema", default="ekb/model/1")
    name: str
    """Also the family of its patterns."""
    source: str
    """What was imported, without folders."""
    source_hash: str
    """Hash of the file; empty for a class."""
    kind: Literal["onnx", "torch"]
    sizes: dict[str, int]
    """Sizes that were fixed by hand."""
    framework: str
    """What the fused functions were compared with as a whole; empty when it is not installed."""
    apart: float | None
    """Root mean square of the difference, beside that of the outputs."""
    device: str | None = None
    """The device that times are of; None before they are measured."""
    inputs: Annotated[tuple[Tensor, ...], BeforeValidator(_tuple)]
    outputs: Words
    """Names of the results that the model gives."""
    calls: Annotated[tuple[Call, ...], BeforeValidator(_tuple)]
    functions: Annotated[tuple[Function, ...], BeforeValidator(_tuple)]


def load_model(folder: Path) -> ImportedModel:
    """Read what `ekb import` wrote.

    Args:
        folder: Its folder.

    Raises:
        RecordError: When there is no model, or its file is none.
    """
    path = folder / MODEL_FILE
    if not path.is_file():
        raise RecordError(f"no {MODEL_FILE} in {folder}; `ekb import MODEL --out {folder}` writes one")
    return ImportedModel.read(path.read_text(encoding="utf-8"), str(path))


def store_model(model: ImportedModel, folder: Path) -> None:
    """Write `model.json`, whole or not at all."""
    fresh = folder / (MODEL_FILE + ".new")
    fresh.write_text(model.model_dump_json(by_alias=True, indent=1) + "\n", encoding="utf-8")
    fresh.replace(folder / MODEL_FILE)
