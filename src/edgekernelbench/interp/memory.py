"""The arrays of one evaluation, by tensor name."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision, storage_type
from edgekernelbench.interp.array_functions import array_cast
from edgekernelbench.ir.compute import Param, Stage, Table
from edgekernelbench.ir.dtype import DType

Array = NDArray[Any]


class Memory:
    """Arrays of parameters, tables and stages, and a counter of environment slots.

    Attributes:
        precision: How floats are held.
        block: How many positions are evaluated at once, about.
    """

    def __init__(self, precision: Precision, block: int) -> None:
        self.precision: Precision = precision
        self.block = block
        self._arrays: dict[str, Array] = {}
        self._dtypes: dict[str, DType] = {}
        self._growing: set[str] = set()
        self._cast: dict[tuple[str, DType, bool], Array] = {}
        self._slots = 0

    @property
    def slots(self) -> int:
        """How long an environment must be."""
        return self._slots

    def new_slots(self, names: tuple[str, ...]) -> dict[str, int]:
        """Give each axis a slot that nothing else uses."""
        first = self._slots
        self._slots += len(names)
        return {name: first + number for number, name in enumerate(names)}

    def fill(self, tensor: Param | Table, array: Array) -> None:
        """Store a parameter or a table.

        Raises:
            InternalError: When the array has not the declared shape, or not the declared type.
        """
        given, declared = f"{array.dtype}{list(array.shape)}", storage_type(tensor.dtype)
        if array.shape != tensor.shape or (isinstance(tensor, Param) and array.dtype != declared):
            expected = f"{declared}{list(tensor.shape)}"
            raise InternalError(f"expected {tensor.name} as {expected}, found {given}")
        held = storage_type(tensor.dtype, self.precision)
        self._arrays[tensor.name] = np.ascontiguousarray(array, dtype=held).reshape(tensor.shape)
        self._dtypes[tensor.name] = tensor.dtype

    def declare(self, stage: Stage, *, growing: bool) -> None:
        """Make room for a stage; a growing one is read while it is filled."""
        self._arrays[stage.name] = np.zeros(stage.shape, storage_type(stage.dtype, self.precision))
        self._dtypes[stage.name] = stage.dtype
        if growing:
            self._growing.add(stage.name)

    def lend(self, name: str, dtype: DType, array: Array) -> None:
        """Store an array under a name as what grows, until it is put or dropped."""
        self._arrays[name] = array
        self._dtypes[name] = dtype
        self._growing.add(name)

    def put(self, stage: Stage, array: Array) -> None:
        """Store a complete stage."""
        self._arrays[stage.name] = array
        self._dtypes[stage.name] = stage.dtype
        self._growing.discard(stage.name)

    def finish(self, names: Iterable[str]) -> None:
        """Say that stages are complete."""
        self._growing.difference_update(names)

    def is_growing(self, name: str) -> bool:
        """Say whether a tensor is read while it is filled."""
        return name in self._growing

    def drop(self, names: Iterable[str]) -> None:
        """Forget tensors that nothing reads any more."""
        gone = set(names)
        self._growing -= gone
        self._arrays = {name: array for name, array in self._arrays.items() if name not in gone}
        self._cast = {key: array for key, array in self._cast.items() if key[0] not in gone}

    def array(self, name: str) -> Array:
        """Give the array of a tensor."""
        return self._arrays[name]

    def cast(self, name: str, to: DType, *, saturate: bool) -> Array | None:
        """Give a whole tensor in another type; None while it grows."""
        if name in self._growing:
            return None
        key = (name, to, saturate)
        if key not in self._cast:
            cast = array_cast(self._dtypes[name], to, saturate=saturate, precision=self.precision)
            self._cast[key] = cast(self._arrays[name])
        return self._cast[key]
