"""No network for workers: a filter of system calls, which needs no rights and cannot be taken off again.

Sockets of every family but those within this machine are refused, and so is the other way to make one
(`io_uring`). What is inherited stays open; a worker inherits none.
"""

import ctypes
import errno
import platform
import socket
from collections.abc import Iterator

PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER = 1
SPEC_ALLOW = 4
"""Flag: no slower mitigations for this process, which would change what is measured."""

LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Offsets of what the kernel tells of a call; of the argument, the low half on little-endian machines."""

ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
X32 = 0x40000000
"""Calls from here on are those of another convention on x86-64."""

IO_URING_SETUP = 425

MACHINES = {
    "x86_64": (0xC000003E, 41, 317),
    "aarch64": (0xC00000B7, 198, 277),
    "riscv64": (0xC00000F3, 198, 277),
    "armv7l": (0x40000028, 281, 383),
}
"""For each architecture: its number, and the numbers of the calls `socket` and `seccomp`."""


class _Step(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


def go_offline(families: tuple[int, ...] = (socket.AF_UNIX,)) -> bool:
    """Refuse sockets to this process and all that it starts, for ever.

    Args:
        families: Sockets of these can still be made.

    Returns:
        Whether it is so; False on architectures that are not known here and on systems without filters.
    """
    known = MACHINES.get(platform.machine())
    if known is None:
        return False
    architecture, make_socket, seccomp = known
    steps = list(_filter(architecture, make_socket, families))
    program = _Program(len(steps), (_Step * len(steps))(*steps))
    system = ctypes.CDLL(None, use_errno=True)
    order = (seccomp, SET_MODE_FILTER, SPEC_ALLOW, ctypes.byref(program))
    if system.syscall(*order) == 0:
        return True
    # Who is not root may do it once it has given up gaining rights by what it starts.
    system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(system.syscall(*order) == 0)


def _filter(architecture: int, make_socket: int, families: tuple[int, ...]) -> Iterator[_Step]:
    """Write the filter; jumps count the steps that they pass over."""
    known = len(families)
    yield _Step(LOAD, 0, 0, ARCHITECTURE)
    yield _Step(JUMP_IF_EQUAL, 0, 6 + known, architecture)
    yield _Step(LOAD, 0, 0, NUMBER)
    yield _Step(JUMP_IF_AT_LEAST, 4 + known, 0, X32)
    yield _Step(JUMP_IF_EQUAL, 3 + known, 0, IO_URING_SETUP)
    yield _Step(JUMP_IF_EQUAL, 0, 1 + known, make_socket)
    yield _Step(LOAD, 0, 0, FIRST_ARGUMENT)
    for place, family in enumerate(families):
        # To what allows if it is this one; the last one that is not goes on to what refuses.
        yield _Step(JUMP_IF_EQUAL, known - 1 - place, 1 if place == known - 1 else 0, family)
    yield _Step(RETURN, 0, 0, ALLOW)
    yield _Step(RETURN, 0, 0, REFUSE)
