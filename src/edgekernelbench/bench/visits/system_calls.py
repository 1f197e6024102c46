"""The few calls of the system that Python 3.11 has no names for: namespaces, mounts, rights.

Sources: `namespaces(7)`, `user_namespaces(7)`, `mount_setattr(2)`, `pivot_root(2)`, `prctl(2)`.
"""

import ctypes
import fcntl
import os
import platform
import socket
import struct

NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USERS, NEW_PIDS, NEW_NETWORK = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip

NO_SETUID, NO_DEVICES, NO_EXEC = 2, 4, 8
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
DETACH = 2

MOUNT_SETATTR = 442
"""The same number on every architecture; Linux 5.12 and later."""
READ_ONLY, KEEP_NO_SETUID = 1, 2
BELOW = 0x8000
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "armv7l": 218}

KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "armv7l": 311}
JOIN_SESSION = 1

DIE_WITH_PARENT, NO_NEW_PRIVILEGES, DUMPABLE, SUBREAPER, DROP_BOUNDING = 1, 38, 4, 36, 24
LAST_CAPABILITY = 63

GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 1

_system = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave the namespaces that `flags` names for new ones.

    Raises:
        OSError: When the system does not let us.
    """
    _checked(_system.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount something.

    Raises:
        OSError: When it cannot be.
    """
    words = (source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), options.encode())
    _checked(_system.mount(*words), f"mount {target}")


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("add", "remove", "propagation", "users"))


def make_read_only(target: str, *, below: bool = True) -> None:
    """Let nobody write to a mount, nor gain rights by a program there.

    Args:
        target: Where it is.
        below: Whether that holds for mounts below it too.

    Raises:
        OSError: When the kernel is older than 5.12.
    """
    wanted = _Attributes(READ_ONLY | KEEP_NO_SETUID, 0, 0, 0)
    words = (-100, target.encode(), BELOW if below else 0, ctypes.byref(wanted), ctypes.sizeof(wanted))
    _checked(_system.syscall(MOUNT_SETATTR, *words), f"make {target} read-only")


def enter_root(new: str) -> None:
    """Make a mount the root, and let go of the old one.

    Raises:
        OSError: When it cannot be, or the architecture is not known here.
    """
    number = PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(38, f"pivot_root is not known on {platform.machine()}")
    os.chdir(new)
    _checked(_system.syscall(number, b".", b"."), "pivot_root")
    _checked(_system.umount2(b".", DETACH), "let go of the old root")
    os.chdir("/")


def die_with_parent() -> None:
    """Be killed when the parent is gone."""
    _system.prctl(DIE_WITH_PARENT, 9, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of whatever descendants leave behind."""
    _system.prctl(SUBREAPER, 1, 0, 0, 0)


def hide_memory() -> None:
    """Let no process of the same user look into this one."""
    _system.prctl(DUMPABLE, 0, 0, 0, 0)


def give_up_rights() -> None:
    """Gain nothing by programs that are started, now and for ever."""
    for number in range(LAST_CAPABILITY + 1):
        _system.prctl(DROP_BOUNDING, number, 0, 0, 0)
    _system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def leave_keys() -> None:
    """Let go of the keys that the system holds for whoever started this."""
    _system.syscall(KEYCTL[platform.machine()], JOIN_SESSION, None)


def raise_loopback() -> None:
    """Switch the loopback on: in a new network it is off.

    Raises:
        OSError: When it cannot be.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, GET_FLAGS, request))
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | UP))
