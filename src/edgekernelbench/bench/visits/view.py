"""What a confined agent sees of this machine: programs and libraries, and nothing that says an answer."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import edgekernelbench
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.visits.orders import USER, Bind, Place

TASK, HOME, TEMPORARY, TOOLS = "/task", "/home/agent", "/tmp", "/ekb"  # noqa: S108 - inside the cell
MACHINE = Path("/usr")
BESIDE = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "pki", "ca-certificates", "alternatives", "localtime",
    "nsswitch.conf", "protocols", "services",
)  # fmt: skip
"""Of `/etc`: what programs need to run; not what this machine's people set up."""
DEVICES = ("null", "zero", "full", "random", "urandom")
ROOM_BYTES = 1 << 30
"""Of each folder that an agent may write to; it is memory."""
FILES = {
    "/etc/passwd": f"root:x:0:0::/root:/bin/sh\nagent:x:{USER}:{USER}::{HOME}:/bin/sh\n",
    "/etc/group": f"root:x:0:\nagent:x:{USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
PACKAGE = Path(edgekernelbench.__file__).parent


def confined_place(
    programs: Iterable[Path], sees: Iterable[Path], hidden: Iterable[Path], doors: int
) -> Place:
    """Say what a confined agent sees.

    Args:
        programs: Programs that it starts, by their absolute paths.
        sees: Further files and folders.
        hidden: What it must not see, besides this package; where it lies in something seen, it is empty.
        doors: How many listening sockets it finds.
    """
    wanted = [MACHINE, *_settings(), *interpreter_roots(), *sees]
    for program in programs:
        wanted += program_roots(program)
    links = {f"/{name}": str(Path(f"/{name}").readlink()) for name in BESIDE if Path(f"/{name}").is_symlink()}
    wanted += [Path(f"/{name}") for name in BESIDE if f"/{name}" not in links and Path(f"/{name}").is_dir()]
    seen = outermost(_through(links, path) for path in wanted if path.exists())
    binds = [Bind(str(path), str(path)) for path in seen]
    binds += [Bind(f"/dev/{name}", f"/dev/{name}", device=True) for name in DEVICES]
    secret = sorted({path.resolve() for path in (*hidden, PACKAGE, *_checkout())})
    return Place(
        confined=True,
        binds=tuple(binds),
        empty=tuple(
            str(p) for p in secret if p.is_dir() and any(p.is_relative_to(s.resolve()) for s in seen)
        ),
        links={**links, "/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0"},
        files=FILES,
        rooms=dict.fromkeys((TASK, HOME, TEMPORARY, TOOLS, "/dev/shm"), ROOM_BYTES),  # noqa: S108
        doors=doors,
    )


def _through(links: Mapping[str, str], path: Path) -> Path:
    """Follow a link at the root, such as `/bin` to `/usr/bin`: it is a link inside too."""
    head = links.get(f"/{path.parts[1]}")
    return path if head is None else Path("/", head, *path.parts[2:])


def _settings() -> list[Path]:
    return [Path("/etc") / name for name in SETTINGS]


def _checkout() -> tuple[Path, ...]:
    """Give the checkout that this package is run from; its tests hold canonical texts too."""
    root = PACKAGE.parent.parent
    return (root,) if (root / "pyproject.toml").is_file() else ()


def interpreter_roots() -> tuple[Path, ...]:
    """Give where the Python of this process lives, without what is installed in its environment."""
    return (Path(sys.base_prefix),)


def interpreter() -> str:
    """Give the Python of this process, outside any environment."""
    return os.path.realpath(sys.executable)


def program_roots(program: Path) -> list[Path]:
    """Give what a program needs to start: itself, its environment, its interpreter.

    Args:
        program: Its absolute path.

    Raises:
        PrerequisiteError: When its interpreter is not here.
    """
    environment = program.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        return [environment, _home_of(environment / "pyvenv.cfg").parent]
    found = [program, program.resolve()]
    modules = [parent for parent in program.resolve().parents if parent.name == "node_modules"]
    found += modules[-1:]
    found += [root for name in _interpreters(program) for root in program_roots(find_program(name))]
    return found


def _home_of(settings: Path) -> Path:
    for line in settings.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return Path(value.strip())
    raise PrerequisiteError(f"{settings} names no home of its Python", "make the environment again")


def _interpreters(program: Path) -> Iterator[str]:
    """Give the interpreter that a script's first line names."""
    with program.open("rb") as stream:
        first = stream.readline(256)
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if words:
        yield words[-1] if words[0].endswith("/env") else words[0]


def find_program(name: str, remedy: str = "", folders: Iterable[Path] = ()) -> Path:
    """Find a program in some folders, then on the path.

    Args:
        name: Its name or path.
        remedy: What brings it.
        folders: Where it is looked for first.

    Raises:
        PrerequisiteError: When it is not here.
    """
    own = [str(folder) for folder in folders]
    found = shutil.which(name, path=os.pathsep.join([*own, os.environ.get("PATH", os.defpath)]))
    if found is None:
        where = f"neither in {', '.join(own)} nor on the path" if own else "not here"
        raise PrerequisiteError(f"the program {name} is {where}", remedy or f"install {name}")
    return Path(found).absolute()


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Drop what lies in another one of them, and order the rest."""
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept
