"""What is in a compiled file: how many bytes of machine code, and what symbols are called."""

import struct
from pathlib import Path

from edgekernelbench.base.errors import InternalError

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


def rename_symbol(data: bytes, old: str, new: str) -> bytes:
    """Give a symbol of an object file another name, in place.

    Args:
        data: The file.
        old: The name, of which there may be one symbol; none is fine.
        new: The name to be, no longer than the old one.

    Returns:
        The file, as long as before.

    Raises:
        InternalError: When the new name is longer, or the old one is there more than once.
    """
    before, after = old.encode() + b"\0", new.encode() + b"\0"
    if len(after) > len(before) or data.count(before) > 1:
        raise InternalError(f"expected one symbol {old} to become {new}, found {data.count(before)}")
    return data.replace(before, after.ljust(len(before), b"\0"))
