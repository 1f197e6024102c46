"""The little that the model knows of a device: how much it can do in a cycle.

The figures are those of the default lowering (`lowering.tile`), so that both judge alike. Peaks that were
measured take the place of what follows from the profile.
"""

from dataclasses import dataclass
from math import ceil

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lowering.gpu import BUSY
from edgekernelbench.lowering.tile import BANDWIDTH, LATENCY, PORTS
from edgekernelbench.profiles.profile import Profile

WARP = 32
"""Threads that a GPU runs in step."""

SPARE = 4
"""Vector registers left for operands, at the least."""

GPU_LANES = 128
"""Multiply-adds a cycle of one multiprocessor in f32: NVIDIA, CUDA C++ Programming Guide 13.0, "Arithmetic
Instructions", 8.6 to 9.0; other GPUs are taken to be like that."""

GPU_BYTES = 16
"""Bytes a cycle that memory brings for each multiprocessor, about: an H200's 4.8 TB/s over 132 at 1.8 GHz
are 20, an Orin's 205 GB/s over 16 at 1.3 GHz are 10."""

SECTOR = 32
"""Bytes that a GPU fetches at the least."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A device in cycles.

    Attributes:
        profile: The device.
    """

    profile: Profile

    @property
    def is_gpu(self) -> bool:
        """Whether it has blocks and threads."""
        return self.profile.target != "llvm"

    @property
    def units(self) -> int:
        """Cores that kernels use, or about as many multiprocessors as the device has."""
        return BUSY[self.profile.device_class] if self.is_gpu else self.profile.threads

    def lanes(self, dtype: DType) -> int:
        """Count the elements of a vector register; narrow integers and floats compute in 32 bits."""
        return max(1, self.profile.vector_bytes * 8 // max(32, dtype.bits))

    def vectors(self, extent: int, dtype: DType) -> int:
        """Count the registers that so many elements take."""
        return ceil(extent / self.lanes(dtype))

    def peak(self, dtype: DType) -> float:
        """Give the operations a cycle of the whole device, a multiply and add counted as two."""
        if self.is_gpu:
            return 2.0 * GPU_LANES * self.units
        return 2.0 * PORTS * self.lanes(dtype) * self.units

    @property
    def memory(self) -> float:
        """Give the bytes a cycle that memory brings to the whole device."""
        return float(GPU_BYTES * self.units) if self.is_gpu else float(BANDWIDTH * min(2, self.units))

    def near(self, working_set: float) -> float:
        """Give the bytes a cycle for a working set: of the cache that holds it, or of memory."""
        caches = self.profile.cache_bytes
        if self.is_gpu or not caches or working_set > caches[-1] * self.units:
            return self.memory
        first = working_set <= caches[0] * self.units
        return float(self.units * self.profile.vector_bytes * (2.0 if first else 0.5))

    @property
    def registers(self) -> int:
        """Vector registers that accumulators may take."""
        return self.profile.vector_registers - SPARE


__all__ = ["GPU_LANES", "LATENCY", "PORTS", "SECTOR", "WARP", "Machine"]
