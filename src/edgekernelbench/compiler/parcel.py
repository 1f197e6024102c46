"""What is carried to a device: machine code with all that is needed to start it there, and nothing of TVM's.

A parcel is two files: one of JSON, and the code as it is - a shared object, OpenCL C, or a cubin. Whoever
opens it needs no compiler.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.gpu.plan import HostLoop, Launch, Plan, Step
from edgekernelbench.compiler.interface import Cost
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer, Nest, Role

PARCEL = "parcel.json"
CODE = "parcel.code"
FORMAT = "parcel/1"


class Form(StrEnum):
    """What the code of a parcel is."""

    SHARED = "shared-object"
    """With functions that TVM's runtime calls."""
    OPENCL = "opencl"
    CUBIN = "cubin"


@dataclass(frozen=True, slots=True)
class Parcel:
    """Code for a device.

    Attributes:
        form: What the code is.
        nest: What was compiled, without its statements: the buffers that code is given.
        cost: What it costs.
        code: The code.
        run: On a GPU, what the host does for a run; None on a CPU.
        prepare: The same, once per weights.
    """

    form: Form
    nest: Nest
    cost: Cost
    code: bytes = field(repr=False)
    run: Plan | None = None
    prepare: Plan | None = None

    def write(self, folder: Path) -> None:
        """Write both files."""
        fields = {
            "format": FORMAT,
            "form": self.form,
            "nest": _nest_json(self.nest),
            "cost": asdict(self.cost),
            "run": None if self.run is None else _plan_json(self.run),
            "prepare": None if self.prepare is None else _plan_json(self.prepare),
        }
        (folder / PARCEL).write_text(json.dumps(fields), encoding="utf-8")
        (folder / CODE).write_bytes(self.code)

    @classmethod
    def read(cls, folder: Path) -> "Parcel":
        """Read both files.

        Raises:
            InternalError: When they were written by another release.
        """
        fields: dict[str, Any] = json.loads((folder / PARCEL).read_text(encoding="utf-8"))
        if fields.get("format") != FORMAT:
            raise InternalError(
                f"expected a parcel of format {FORMAT}, found {fields.get('format')}; "
                "install the same release on both machines"
            )
        nest = _read_nest(fields["nest"])
        known = {b.name: b for b in (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)}
        run, prepare = (fields[name] and _read_plan(fields[name], known) for name in ("run", "prepare"))
        cost = Cost(**{**fields["cost"], "notes": tuple(fields["cost"]["notes"])})
        return cls(Form(fields["form"]), nest, cost, (folder / CODE).read_bytes(), run, prepare)


def _nest_json(nest: Nest) -> dict[str, Any]:
    groups = {
        "params": nest.params,
        "outputs": nest.outputs,
        "prepared": nest.prepared,
        "tables": nest.tables,
    }
    rows = {name: [_buffer_json(b) for b in buffers] for name, buffers in groups.items()}
    return {"name": nest.name, "target": nest.target, **rows}


def _read_nest(fields: Mapping[str, Any]) -> Nest:
    params, outputs, prepared, tables = (
        tuple(_read_buffer(row) for row in fields[name])
        for name in ("params", "outputs", "prepared", "tables")
    )
    return Nest(fields["name"], fields["target"], params, outputs, prepared, tables, (), ())


def _buffer_json(buffer: Buffer) -> dict[str, Any]:
    return asdict(buffer)


def _read_buffer(row: Mapping[str, Any]) -> Buffer:
    return Buffer(
        **{
            **row,
            "dtype": DType(row["dtype"]),
            "shape": tuple(row["shape"]),
            "role": Role(row["role"]),
            "values": tuple(row["values"]),
        }
    )


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "steps": [_step_json(step) for step in plan.steps],
        "slots": dict(plan.slots),
        "slot_bytes": list(plan.slot_bytes),
    }


def _step_json(step: Step) -> dict[str, Any]:
    if isinstance(step, HostLoop):
        return {"var": step.var, "extent": step.extent, "steps": [_step_json(one) for one in step.steps]}
    return {
        "name": step.name,
        "blocks": step.blocks,
        "threads": step.threads,
        "buffers": [b.name for b in step.buffers],
        "work": [_buffer_json(b) for b in step.buffers if b.role is Role.WORK],
        "scalars": step.scalars,
    }


def _read_plan(fields: Mapping[str, Any], known: Mapping[str, Buffer]) -> Plan:
    steps = _read_steps(fields["steps"], known)
    return Plan(steps, fields["slots"], tuple(fields["slot_bytes"]))


def _read_steps(rows: Sequence[Mapping[str, Any]], known: Mapping[str, Buffer]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for row in rows:
        if "var" in row:
            steps.append(HostLoop(row["var"], row["extent"], _read_steps(row["steps"], known)))
            continue
        here = {**known, **{one["name"]: _read_buffer(one) for one in row["work"]}}
        (x, y, z), (i, j, k) = row["blocks"], row["threads"]
        buffers = tuple(here[name] for name in row["buffers"])
        steps.append(Launch(row["name"], (), (x, y, z), (i, j, k), buffers, tuple(row["scalars"])))
    return tuple(steps)
