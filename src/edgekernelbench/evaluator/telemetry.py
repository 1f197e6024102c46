"""What this machine shows of its clocks, heat and load: read where Linux says it, absent where it does not.

```text
/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq, scaling_governor    kHz, a word
/sys/devices/system/cpu/cpuN/thermal_throttle/{core,package}_throttle_count   x86
/sys/devices/platform/soc/soc:firmware/get_throttled                       Raspberry Pi
/sys/class/thermal/thermal_zone*/temp                                      thousandths of a degree
/proc/stat, /proc/loadavg                                                  ticks of each core, load
```
A virtual machine usually shows the last two alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CPUS = "sys/devices/system/cpu"
FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
ZONES = "sys/class/thermal"

CAPPED_NOW = 0b1110
"""Bits of the Raspberry Pi's word: clock capped, throttled, at the soft limit of temperature."""

STEAL = 7
"""Place of stolen ticks in a line of `/proc/stat`, after the core's name; what follows is part of others."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a machine shows at one moment.

    Attributes:
        mhz: Clock rate of each core that shows one.
        governor: What chooses it; several are joined with commas; empty when not shown.
        celsius: The highest temperature; None when not shown.
        throttles: How often cores were held back since the start; None when not shown.
        held_back: Whether they are held back at this moment, where that is what is shown.
        ticks: Stolen ticks and all ticks of the cores; None when not shown.
        load: Load average of the last minute; None when not shown.
    """

    mhz: tuple[float, ...] = ()
    governor: str = ""
    celsius: float | None = None
    throttles: int | None = None
    held_back: bool | None = None
    ticks: tuple[int, int] | None = None
    load: float | None = None


def read_telemetry(cores: Sequence[int], root: Path = Path("/")) -> Reading:
    """Read what the machine shows.

    Args:
        cores: Which cores matter.
        root: Where `sys` and `proc` are.

    Returns:
        The reading; what cannot be read is absent.
    """
    folders = [root / CPUS / f"cpu{core}" for core in cores]
    rates = [_number(folder / "cpufreq" / "scaling_cur_freq") for folder in folders]
    governors = {_word(folder / "cpufreq" / "scaling_governor") for folder in folders}
    heat = [_number(zone / "temp") for zone in sorted((root / ZONES).glob("thermal_zone*"))]
    throttles = [
        _number(folder / "thermal_throttle" / f"{scope}_throttle_count")
        for folder in folders
        for scope in ("core", "package")
    ]
    counted = [count for count in throttles if count is not None]
    word = _word(root / FIRMWARE)
    load = _word(root / "proc" / "loadavg").split()
    return Reading(
        mhz=tuple(rate / 1000 for rate in rates if rate is not None),
        governor=", ".join(sorted(governors - {""})),
        celsius=max((each / 1000 for each in heat if each is not None), default=None),
        throttles=int(sum(counted)) if counted else None,
        held_back=bool(int(word, 16) & CAPPED_NOW) if _is_hexadecimal(word) else None,
        ticks=_ticks(_word(root / "proc" / "stat"), {f"cpu{core}" for core in cores}),
        load=float(load[0]) if load else None,
    )


def _ticks(text: str, names: set[str]) -> tuple[int, int] | None:
    rows = [line.split() for line in text.splitlines()]
    ours = [[int(n) for n in row[1 : STEAL + 2]] for row in rows if row and row[0] in names]
    known = [row for row in ours if len(row) > STEAL]
    return (sum(row[STEAL] for row in known), sum(map(sum, known))) if known else None


def _word(path: Path) -> str:
    """Read a file of the system; empty when it is not there, or its driver gives an error."""
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> float | None:
    word = _word(path)
    return float(word) if word.lstrip("-").isdigit() else None


def _is_hexadecimal(word: str) -> bool:
    try:
        int(word, 16)
    except ValueError:
        return False
    return True
