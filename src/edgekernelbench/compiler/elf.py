"""How many bytes of a compiled file are machine code."""

import struct
from pathlib import Path

_MAGIC = b"\x7fELF"
_WIDE, _LITTLE = 2, 1
_EXECUTABLE = 4
_HEADER = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<8xQ16xQ24x")


def count_code_bytes(file: Path) -> int | None:
    """Add up the executable sections of an object or a shared object.

    Args:
        file: The file.

    Returns:
        Their size; None when the file is no 64-bit little-endian ELF file.
    """
    data = file.read_bytes()
    if len(data) < _HEADER.size or data[:4] != _MAGIC or (data[4], data[5]) != (_WIDE, _LITTLE):
        return None
    table, entry_size, count, _ = _HEADER.unpack_from(data)
    sections = (_SECTION.unpack_from(data, table + n * entry_size) for n in range(count))
    sizes: list[int] = [size for flags, size in sections if flags & _EXECUTABLE]
    return sum(sizes)
