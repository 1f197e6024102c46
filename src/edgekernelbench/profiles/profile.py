"""Device profiles: what a kernel may use, and what it should fit."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from edgekernelbench.base.errors import CatalogueError, ForeignError, PrerequisiteError
from edgekernelbench.base.names import nearest
from edgekernelbench.base.plugins import (
    Group,
    Plugin,
    call_plugin,
    find_plugin,
    load_plugin,
    plugin_names,
    refuse_plugin,
)
from edgekernelbench.ir.schedule import TARGETS
from edgekernelbench.profiles.host import read_host


class DeviceClass(StrEnum):
    """What kind of result a device gives; a stand-in is never shown as an edge result."""

    EDGE = "edge"
    SERVER = "server"
    STAND_IN = "stand-in"


class Whereabouts(StrEnum):
    """Where the device of a profile is found."""

    HERE = "here"
    """In this machine, if it has one."""
    BOARD = "board"
    """In another machine, which runs Python and this package."""
    TEXT = "text"
    """In machines that cannot: kernels are checked and lowered for it, and not run."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a device has.

    Attributes:
        name: Unique name, such as `"host"`.
        title: What a person calls it.
        target: `llvm`, `cuda` or `opencl`.
        device_class: What kind of result it gives.
        threads: CPU threads that kernels and baselines use; 1 on a GPU.
        vector_bytes: Width of one vector register.
        vector_registers: How many there are.
        cache_bytes: Sizes of the data caches of one core, inner first.
        stack_bytes: Largest `local` buffer kept on the stack.
        max_threads: Threads a block, GPUs only; 0 elsewhere.
        max_thread_dims: Threads along x, y, z.
        max_block_dims: Blocks along x, y, z.
        shared_bytes: Shared memory a block.
        local_bytes: Private memory a thread; on CPUs, of all `local` buffers of a thread.
        workspace_bytes: Memory that a kernel's workspace may take.
        unroll_limit: Largest product of unrolled iterations of one stage.
        inline_limit: Largest size of an expression after inlining, in nodes.
        instructions: Names that `tensorize` accepts.
        dtypes: Element types that it computes with.
        cpu: LLVM's name of the CPU, or the GPU's architecture; empty when unknown.
        triple: Machine and system of a CPU as compilers name them, such as `aarch64-linux-gnu`; empty for
            those of this machine.
        platform: For `opencl`, words of its platform's name.
        where: Where the device is found.
        quirks: Known faults, one sentence each.
        sources: Where the numbers come from, one sentence each.
    """

    name: str
    title: str
    target: str
    device_class: DeviceClass
    threads: int = 1
    vector_bytes: int = 16
    vector_registers: int = 16
    cache_bytes: tuple[int, ...] = (32768, 524288)
    stack_bytes: int = 65536
    max_threads: int = 0
    max_thread_dims: tuple[int, ...] = ()
    max_block_dims: tuple[int, ...] = ()
    shared_bytes: int = 0
    local_bytes: int = 1 << 20
    workspace_bytes: int = 1 << 30
    unroll_limit: int = 1024
    inline_limit: int = 10000
    instructions: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = (
        "bool", "i4", "u4", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64",
    )  # fmt: skip
    cpu: str = ""
    triple: str = ""
    platform: str = ""
    where: Whereabouts = Whereabouts.HERE
    quirks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def load_profile(name: str) -> Profile:
    """Load a profile that comes with the product, or with another package.

    Args:
        name: The name of a file in `profiles/data`, without its ending, or of an entry point.

    Returns:
        The profile; where the file says 0, this machine's number stands.

    Raises:
        CatalogueError: When there is no such profile, with the nearest name.
        ForeignError: When another package brings it, and it cannot be read.
    """
    if name in own_profile_names():
        text = (files(__package__) / "data" / f"{name}.toml").read_text(encoding="utf-8")
        return _profile(tomllib.loads(text), name)
    plugin = find_plugin(Group.DEVICES, name)
    if plugin is not None:
        return _brought(plugin)
    known = profile_names()
    close = nearest(name, known)
    guess = f"; did you mean {close!r}?" if close else f"; there are {', '.join(known)}"
    raise CatalogueError(f"no profile {name!r}{guess}")


def profile_names() -> tuple[str, ...]:
    """List the profiles that come with the product and with other packages, sorted."""
    own = own_profile_names()
    return tuple(sorted((*own, *plugin_names(Group.DEVICES, own))))


def own_profile_names() -> tuple[str, ...]:
    """List the profiles that come with the product, sorted."""
    folder = files(__package__) / "data"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def usable_profiles() -> tuple[Profile, ...]:
    """Load all profiles but those of other packages that cannot be read: `ekb doctor` names them."""
    found = []
    for name in profile_names():
        with suppress(PrerequisiteError):
            found.append(load_profile(name))
    return tuple(found)


def _brought(plugin: Plugin) -> Profile:
    """Read a profile of another package: the path of a file, or a function that gives it."""
    given = load_plugin(plugin)
    path = call_plugin(plugin, "gives no path", given) if callable(given) else given
    if not isinstance(path, Traversable):
        raise refuse_plugin(plugin, "the path of a TOML file, or a function that gives it", path)
    profile = call_plugin(
        plugin,
        "cannot be read",
        lambda: _profile(tomllib.loads(path.read_text(encoding="utf-8")), plugin.name),
    )
    if profile.target not in TARGETS:
        expected = f"target {', '.join(TARGETS)}"
        raise ForeignError(
            f"{plugin}: expected {expected}, found {profile.target!r}", f"mend or update {plugin.package}"
        )
    return profile


def _profile(row: Mapping[str, object], name: str) -> Profile:
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    if 0 in plain.values():
        host = read_host()
        plain |= {k: getattr(host, k) for k, v in plain.items() if v == 0}
    return profile_from_json({"name": name, **plain})


def profile_from_json(fields: Mapping[str, Any]) -> Profile:
    """Read a profile that `dataclasses.asdict` wrote."""
    plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
    plain["device_class"] = DeviceClass(plain["device_class"])
    plain["where"] = Whereabouts(plain.get("where", Whereabouts.HERE))
    return Profile(**plain)
