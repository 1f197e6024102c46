"""How much workspace a kernel may have for a workload, by class of device.

The budget follows from the workload alone, so it needs no row of the catalogue and no opinion: a floor, and a
multiple of all data that the canonical text names, each tensor once.

Twice the data on an edge device leaves room for one transformed copy of every tensor (packed weights, padded
inputs, Winograd tiles) and for every intermediate kept whole, as the plain text keeps it. What it refuses is
buying speed with memory that the rest of a model needs: nine unrolled copies of an image for a convolution of
3 by 3, one private output for every block. The floor lets kernels on tiny data have a tile for each thread.
Servers, and what stands in for a device, have memory: there the budget only stops what is out of proportion.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from edgekernelbench.ir.compute import placed_stages, tables
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.profile import DeviceClass, Profile
from edgekernelbench.workloads.schema import Workload

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """How a budget follows from data.

    Attributes:
        floor_bytes: Every kernel may have so much.
        times: So often the bytes of all tensors of the canonical text come on top.
    """

    floor_bytes: int
    times: int


RULES: Mapping[DeviceClass, Rule] = {
    DeviceClass.EDGE: Rule(floor_bytes=MIB, times=2),
    DeviceClass.SERVER: Rule(floor_bytes=64 * MIB, times=8),
    DeviceClass.STAND_IN: Rule(floor_bytes=64 * MIB, times=8),
}


def workspace_budget(workload: Workload, profile: Profile) -> int:
    """Say how many bytes of workspace and prepared buffers a kernel may have.

    Args:
        workload: For which workload.
        profile: On which device.

    Returns:
        Bytes; never more than the device gives to a kernel.
    """
    rule = RULES[profile.device_class]
    return min(profile.workspace_bytes, rule.floor_bytes + rule.times * data_bytes(workload))


def data_bytes(workload: Workload) -> int:
    """Add up the tensors of the canonical text: parameters, tables, and every stage once."""
    kernel = workload.kernel()
    forms = [(p.dtype, p.shape) for p in kernel.params]
    forms += [(t.dtype, t.shape) for t in tables(kernel.compute)]
    forms += [(p.stage.dtype, p.stage.shape) for p in placed_stages(kernel.compute)]
    return sum(_bytes(dtype, shape) for dtype, shape in forms)


def _bytes(dtype: DType, shape: tuple[int, ...]) -> int:
    return -(-prod(shape) * max(4, dtype.bits) // 8)
