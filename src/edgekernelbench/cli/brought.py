"""What other packages bring, and whether it can be used: for `ekb doctor`."""

from collections.abc import Callable
from typing import assert_never

from edgekernelbench.agents.packaged import Options, make_packaged
from edgekernelbench.base.errors import EkbError
from edgekernelbench.base.plugins import Group, Plugin, find_plugins
from edgekernelbench.cli.rows import AGENTS
from edgekernelbench.evaluator.compilers import COMPILERS, load_compiler
from edgekernelbench.profiles.profile import load_profile, own_profile_names
from edgekernelbench.workloads.catalogue import find_catalogue


def brought() -> list[tuple[Plugin, str]]:
    """List what packages bring, each with why it cannot be used; empty when it can."""
    return [(plugin, _fault(plugin)) for group in Group for plugin in find_plugins(group)]


def asked_by(group: Group) -> str:
    """Say how what is in a group is asked for."""
    match group:
        case Group.AGENTS:
            return "ekb run --agent NAME"
        case Group.DEVICES:
            return "--device NAME, --profile NAME"
        case Group.COMPILERS:
            return "--compiler NAME"
        case Group.CATALOGUES:
            return "--in NAME"
        case _:
            assert_never(group)


def _fault(plugin: Plugin) -> str:
    taken, use = _use(plugin)
    if plugin.name in taken:
        return f"{plugin} is never used, ours has the same name; rename its entry point"
    try:
        use()
    except EkbError as error:
        return str(error)
    return ""


def _use(plugin: Plugin) -> tuple[tuple[str, ...], Callable[[], object]]:
    """Give the names that are taken in its group, and what uses it as a command would."""
    name = plugin.name
    match plugin.group:
        case Group.AGENTS:
            return tuple(AGENTS), lambda: make_packaged(name, Options(name, load_profile("llvm")))
        case Group.DEVICES:
            return own_profile_names(), lambda: load_profile(name)
        case Group.COMPILERS:
            return COMPILERS, lambda: load_compiler(name)
        case Group.CATALOGUES:
            return (), lambda: find_catalogue(name)
        case _:
            assert_never(plugin.group)
