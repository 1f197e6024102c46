"""What this machine's CPU has, read from where Linux says it."""

import os
from dataclasses import dataclass
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
DOT_FEATURES = frozenset({"avx512_vnni", "avx_vnni", "asimddp"})
"""What Linux calls the instructions for sums of four products of bytes, on x86 and on Arm."""


@dataclass(frozen=True, slots=True)
class Host:
    """The facts that a profile leaves open with a 0.

    Attributes:
        threads: CPUs that this process may use.
        vector_bytes: Width of one vector register.
        vector_registers: How many there are.
        cache_bytes: Sizes of the data caches that one core has for itself, inner first.
        instructions: Names that `tensorize` accepts here.
    """

    threads: int
    vector_bytes: int
    vector_registers: int
    cache_bytes: tuple[int, ...]
    instructions: tuple[str, ...] = ()


def read_host(cpuinfo: Path = CPUINFO, caches: Path = CACHES) -> Host:
    """Read the facts of this machine.

    Args:
        cpuinfo: The kernel's list of CPUs with their features.
        caches: The folder that describes the caches of the first CPU.

    Returns:
        The facts; the least that every 64-bit CPU has where nothing can be read.
    """
    features = _features(cpuinfo)
    width, registers = vector_registers(features)
    dots = ("dot4",) if features & DOT_FEATURES else ()
    return Host(len(os.sched_getaffinity(0)), width, registers, _caches(caches), dots)


def cpu_name(cpuinfo: Path = CPUINFO) -> str:
    """Give the name of this machine's processor, or of the board; empty when it is not told."""
    if not cpuinfo.is_file():
        return ""
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    found = next((line for line in lines if line.startswith(("model name", "Model"))), ":")
    return found.partition(":")[2].strip()


def vector_registers(features: frozenset[str]) -> tuple[int, int]:
    """Give width in bytes and number of the vector registers of a CPU with these features."""
    if "avx512f" in features:
        return 64, 32
    if "avx2" in features:
        return 32, 16
    if "asimd" in features:
        return 16, 32
    return 16, 16


def _features(cpuinfo: Path) -> frozenset[str]:
    if not cpuinfo.is_file():
        return frozenset()
    for line in cpuinfo.read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()


def _caches(folder: Path) -> tuple[int, ...]:
    """List the data caches below the last level, which cores share."""
    found: dict[int, int] = {}
    for index in sorted(folder.glob("index*")):
        kind, level, size = (_line(index / name) for name in ("type", "level", "size"))
        if kind in ("Data", "Unified") and level.isdigit() and size.endswith("K"):
            found[int(level)] = int(size[:-1]) * 1024
    sizes = [found[level] for level in sorted(found)]
    return tuple(sizes[:-1] if len(sizes) > 2 else sizes) or (32768, 524288)


def _line(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
