"""What a device reaches at best, as measured: operations a second, and bytes a second by working set.

A kernel needs at least the time in which its device does the operations, and at least the time in which it
moves the bytes: the *roofline*. `evaluator.roofline` measures peaks; they are kept for each machine.
"""

import json
import math
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from edgekernelbench.base.hashing import hash_text
from edgekernelbench.profiles.host import cpu_name
from edgekernelbench.profiles.profile import Profile

LAYOUT = 1
"""Raised when peaks are measured in another way: stored ones of another number are none."""

NS_PER_SECOND = 1_000_000_000


class Roof(StrEnum):
    """Which part of the roofline is the higher."""

    MEMORY = "memory"
    COMPUTE = "compute"
    LAUNCH = "launch"


@dataclass(frozen=True, slots=True)
class Bound:
    """The least time that a run can take.

    Attributes:
        ns: Nanoseconds.
        roof: What it is that takes them.
    """

    ns: float
    roof: Roof


@dataclass(frozen=True, slots=True)
class Peaks:
    """What a device reaches.

    Attributes:
        profile: Name of the device profile.
        threads: With how many threads; 1 on a GPU.
        operations_per_s: Operations on `f32` a second, a multiplication with its addition being two.
        bytes_per_s: For working sets of so many bytes, bytes read and written a second; ascending.
        launch_ns: The shortest run of a kernel that does next to nothing.
        waited: Share of the time in which threads waited for a core: much of it, and the device can do more.
    """

    profile: str
    threads: int
    operations_per_s: float
    bytes_per_s: tuple[tuple[int, float], ...]
    launch_ns: float
    waited: float = 0.0

    def bandwidth(self, working_set: int) -> float:
        """Give the bytes a second of a working set, between measured ones by logarithms.

        Args:
            working_set: Bytes that are used again and again.
        """
        smaller = [p for p in self.bytes_per_s if p[0] <= working_set]
        larger = [p for p in self.bytes_per_s if p[0] > working_set]
        if not smaller or not larger:
            return (smaller[-1:] or larger[:1])[0][1]
        (low, slow), (high, fast) = smaller[-1], larger[0]
        share = math.log(working_set / low) / math.log(high / low)
        return float(slow * (fast / slow) ** share)

    def bound(
        self, *, operations: float, traffic: float, working_set: int, element_bytes: float = 4
    ) -> Bound:
        """Say how long a run takes at least.

        Args:
            operations: How many it does.
            traffic: Bytes that it must read and write.
            working_set: Bytes among which they are found when it runs again and again.
            element_bytes: Size of the elements: twice as many of half the size fit a register.
        """
        width = max(1.0, 4 / element_bytes)
        times = {
            Roof.COMPUTE: operations / (self.operations_per_s * width) * NS_PER_SECOND,
            Roof.MEMORY: traffic / self.bandwidth(working_set) * NS_PER_SECOND,
            Roof.LAUNCH: self.launch_ns,
        }
        roof = max(times, key=lambda each: times[each])
        return Bound(times[roof], roof)


def peaks_folder(given: Mapping[str, str] = os.environ) -> Path:
    """Say where measured peaks are kept: in the user's cache."""
    home = given.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "edgekernelbench" / "peaks"


def load_peaks(profile: Profile, folder: Path | None = None) -> Peaks | None:
    """Read the peaks of a device of this machine.

    Args:
        profile: The device.
        folder: Where they are kept; None for the user's cache.

    Returns:
        The peaks; None when they were not measured yet, or in another way.
    """
    path = _path(profile, folder)
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    if fields.pop("layout", None) != LAYOUT:
        return None
    fields["bytes_per_s"] = tuple((int(size), float(rate)) for size, rate in fields["bytes_per_s"])
    return Peaks(**fields)


def store_peaks(peaks: Peaks, profile: Profile, folder: Path | None = None) -> Path:
    """Keep the peaks of a device of this machine.

    Args:
        peaks: What was measured.
        profile: The device.
        folder: Where they are kept; None for the user's cache.

    Returns:
        The file.
    """
    path = _path(profile, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps({"layout": LAYOUT, **asdict(peaks)}, indent=1), encoding="utf-8")
    draft.replace(path)
    return path


def _path(profile: Profile, folder: Path | None) -> Path:
    machine = f"{platform.node()} {platform.machine()} {cpu_name()} {os.cpu_count()} {profile.cpu}"
    key = hash_text(f"{machine} {profile.threads}")
    return (folder or peaks_folder()) / f"{profile.name}-{key}.json"
