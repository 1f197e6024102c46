"""The first process of a cell: builds the view, hands out the doors, starts the agent, ends all that it left.

```text
run ──socket── launcher ──fork──▶ first process of the cell ──fork──▶ agent ─▶ whatever it starts
```
Started as `python -m edgekernelbench.bench.visits.inside NUMBER`, with a listed environment. When it is
gone, so is everything in the cell; when the run is gone, so is it.
"""

import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from glob import iglob
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from edgekernelbench.bench.visits import system_calls as system
from edgekernelbench.bench.visits.orders import (
    USER,
    Bind,
    Listener,
    Place,
    Work,
    packed,
    place_from,
    send,
    work_from,
)
from edgekernelbench.evaluator.offline import go_offline

ROOT = "/tmp"  # noqa: S108 - where the new root is mounted: a folder that every system has
LOOPBACK = "127.0.0.1"
TICK_MS = 50
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
"""Sockets that an agent may make; in its network there is nothing but a loopback. Others, such as those to
the host of a virtual machine, belong to no network."""
CANNOT_START = 127


def main(number: int) -> int:
    """Serve one cell.

    Args:
        number: Descriptor of the socket to the run.

    Returns:
        The exit status.
    """
    channel = socket.socket(fileno=number)
    listener = Listener(channel)
    system.die_with_parent()
    order = listener.hear()
    if order is None:
        return 0
    place = place_from(order)
    try:
        sources = _leave(listener, place) if place.confined else {}
    except OSError as error:
        send(channel, {"failed": str(error)})
        return 0
    if not place.confined:
        system.adopt_orphans()
        return _serve(listener, place)
    # Only children are in the new namespace of processes.
    child = os.fork()
    if child == 0:
        system.die_with_parent()
        os._exit(_be_first(listener, place, sources))
    channel.close()
    os.waitpid(child, 0)
    return 0


def _leave(listener: Listener, place: Place) -> dict[str, int]:
    """Leave all namespaces, become the agent's user, and build the view; gives what is mounted, opened."""
    system.unshare(
        system.NEW_USERS
        | system.NEW_MOUNTS
        | system.NEW_PIDS
        | system.NEW_NETWORK
        | system.NEW_IPC
        | system.NEW_UTS
    )
    send(listener.channel, {"unshared": os.getpid()})
    if listener.hear() is None:
        raise OSError("the run did not say who the agent is")
    # With the rights of who started the run: folders on the way may be closed to others.
    sources = {bind.source: os.open(bind.source, os.O_PATH) for bind in (*place.binds, *place.baits)}
    if os.getuid() != USER:
        # Who starts runs as root has other groups; who does not cannot change them, and loses nothing.
        with suppress(PermissionError):
            os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    return sources


def _be_first(listener: Listener, place: Place, sources: dict[str, int]) -> int:
    try:
        _build(place, sources)
    except OSError as error:
        send(listener.channel, {"failed": str(error)})
        return 0
    return _serve(listener, place)


def _build(place: Place, sources: dict[str, int]) -> None:
    """Mount the view, and make it the root."""
    system.mount("none", "/", flags=system.RECURSIVE | system.PRIVATE)
    system.mount("tmpfs", ROOT, "tmpfs", system.NO_SETUID | system.NO_DEVICES, "mode=755,size=16m")
    for path, size in place.rooms.items():
        _make_room(ROOT + path, folder=True)
        flags = system.NO_SETUID | system.NO_DEVICES
        system.mount("tmpfs", ROOT + path, "tmpfs", flags, f"mode=700,size={size}")
    for bind in place.binds:
        _show(bind, sources[bind.source])
    for path in place.empty:
        _make_room(ROOT + path, folder=True)
        system.mount("tmpfs", ROOT + path, "tmpfs", system.NO_SETUID, "mode=755,size=1m")
    for bait in place.baits:
        _show(bait, sources[bait.source])
    for path in place.empty:
        system.make_read_only(ROOT + path)
    for name, target in place.links.items():
        Path(ROOT + name).symlink_to(target)
    _write_files(place.files, ROOT)
    # While the old one can be seen: the kernel shows no more of processes than was shown before.
    _make_room(f"{ROOT}/proc", folder=True)
    flags = system.NO_SETUID | system.NO_DEVICES | system.NO_EXEC
    system.mount("proc", f"{ROOT}/proc", "proc", flags)
    for descriptor in sources.values():
        os.close(descriptor)
    system.enter_root(ROOT)
    system.make_read_only("/", below=False)
    system.raise_loopback()
    system.leave_keys()
    with suppress(OSError):  # systems without the switch have other limits
        Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="utf-8")


def _show(bind: Bind, source: int) -> None:
    """Mount something of this machine that was opened."""
    target = ROOT + bind.target
    _make_room(target, folder=S_ISDIR(os.fstat(source).st_mode))
    system.mount(f"/proc/self/fd/{source}", target, flags=system.BIND | system.RECURSIVE)
    if not bind.device:
        system.make_read_only(target)


def _make_room(path: str, *, folder: bool) -> None:
    """Make what something is mounted on, unless it is there."""
    if folder:
        Path(path).mkdir(0o755, parents=True, exist_ok=True)
    elif not Path(path).exists():
        Path(path).parent.mkdir(0o755, parents=True, exist_ok=True)
        Path(path).touch()


def _write_files(files: Mapping[str, str], root: str = "") -> None:
    for name, text in files.items():
        path = Path(root + name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)


def _serve(listener: Listener, place: Place) -> int:
    """Hand out the doors, start the agent, and see to its end."""
    doors = [_door() for _ in range(place.doors)]
    system.hide_memory()
    numbers = tuple(door.fileno() for door in doors)
    send(listener.channel, {"ready": [door.getsockname()[1] for door in doors]}, numbers)
    for door in doors:
        door.close()
    order = listener.hear()
    if order is None:
        return 0
    work = work_from(order)
    _write_files(work.files)
    agent = os.fork()
    if agent == 0:
        _be_agent(work, confined=place.confined)
    status = _watch(listener.channel, agent)
    _end_all(confined=place.confined)
    _hand_out(listener.channel, work)
    # A cell that the run has given up has nobody to tell.
    with suppress(OSError):
        send(listener.channel, {"ended": status})
    return 0


def _door() -> socket.socket:
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.bind((LOOPBACK, 0))
    door.listen(64)
    return door


def _be_agent(work: Work, *, confined: bool) -> None:
    """Become the agent; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.closerange(3, 4096)
        for kind, value in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, work.file_bytes),
            *(((resource.RLIMIT_NPROC, work.processes),) if confined else ()),
        ):
            _limit(kind, value)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
        os.chdir(work.folder)
        if confined:
            _give_up_all()
        os.execvpe(work.command[0], list(work.command), dict(work.environment))  # noqa: S606
    except OSError as error:
        os.write(2, f"cannot start {work.command[0]}: {error}\n".encode())
    finally:
        os._exit(CANNOT_START)


def _give_up_all() -> None:
    """Gain no right and no way out of this network, now and for ever.

    Raises:
        OSError: When the system cannot promise that.
    """
    system.give_up_rights()
    if not go_offline(FAMILIES):
        raise OSError("the system has no filter of system calls")


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _watch(channel: socket.socket, agent: int) -> int | None:
    """Wait until the agent ends, or the run wants it to; orphans are buried meanwhile.

    Returns:
        How it ended, negative for a signal; None when the run wanted it to.
    """
    said = select.poll()
    said.register(channel, select.POLLIN)
    while True:
        for pid, status in _dead():
            if pid == agent:
                return os.waitstatus_to_exitcode(status)
        if said.poll(TICK_MS):
            return None


def _dead() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, status


def _end_all(*, confined: bool) -> None:
    """End every process of the agent, and bury them."""
    if confined:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)  # everything in this namespace but its first process
        with suppress(ChildProcessError):
            while True:
                os.wait()
        return
    # Without a namespace they may start others while they are counted.
    while children := _children():
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for _ in _dead():
            pass


def _children() -> list[int]:
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8")
    return [int(word) for word in found.split()]


def _hand_out(channel: socket.socket, work: Work) -> None:
    """Send the files that were asked for, as far as they are files and not too large."""
    left = work.collect_bytes
    for pattern in work.collect:
        for name in sorted(iglob(pattern, recursive=True, include_hidden=True)):  # noqa: PTH207 - lazily
            data = _content(name, left)
            left -= len(data)
            if data:
                with suppress(OSError):
                    send(channel, {"file": name, "data": packed(data)})


def _content(name: str, most: int) -> bytes:
    # An agent may have put a pipe there, on which a plain open would wait, or a link.
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        facts = os.fstat(handle)
        return os.pread(handle, most, 0) if S_ISREG(facts.st_mode) and facts.st_size <= most else b""
    finally:
        os.close(handle)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
