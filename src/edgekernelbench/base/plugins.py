"""Agents, devices, compilers and catalogues of other packages, found by their entry points.

```text
[project.entry-points."edgekernelbench.agents"]
my-agent = "my_package.agent:make"
```
A package is found without being imported. It is imported when its name is asked for, and what goes wrong then
is said of that package alone: the others, and ours, work as before.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from edgekernelbench.base.errors import EkbError, ForeignError, PrerequisiteError
from edgekernelbench.base.names import nearest

Result = TypeVar("Result")

MOST_CHARS = 300
"""What is quoted of an error of another package."""


class Group(StrEnum):
    """What a package may bring, by the name of the group of its entry points."""

    AGENTS = "edgekernelbench.agents"
    DEVICES = "edgekernelbench.devices"
    COMPILERS = "edgekernelbench.compilers"
    CATALOGUES = "edgekernelbench.catalogues"

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return self.rpartition(".")[2].removesuffix("s")


@dataclass(frozen=True, slots=True)
class Plugin:
    """Something that another package brings; not imported yet.

    Attributes:
        group: What it is.
        name: The word that asks for it.
        value: Where it is, `module:object`.
        package: The package.
        version: Its version; empty when it does not say.
        entry: What loads it.
    """

    group: Group
    name: str
    value: str
    package: str
    version: str
    entry: EntryPoint

    def __str__(self) -> str:
        return f"{self.group.noun} {self.name!r} of {self.package} {self.version}".rstrip()


def find_plugins(group: Group) -> tuple[Plugin, ...]:
    """List what packages bring, sorted by name and package; imports nothing."""
    found = [_plugin(group, entry) for entry in entry_points(group=group)]
    return tuple(sorted(found, key=lambda one: (one.name, one.package)))


def plugin_names(group: Group, taken: Iterable[str] = ()) -> tuple[str, ...]:
    """List the names of what packages bring, without those that are taken: ours go first."""
    ours = frozenset(taken)
    return tuple(dict.fromkeys(one.name for one in find_plugins(group) if one.name not in ours))


def find_plugin(group: Group, name: str) -> Plugin | None:
    """Find what a package brings by its name; None when no package does.

    Raises:
        PrerequisiteError: When two packages do.
    """
    found = [one for one in find_plugins(group) if one.name == name]
    if len(found) > 1:
        packages = " and ".join(one.package for one in found)
        raise PrerequisiteError(f"{packages} both bring {group.noun} {name!r}", "uninstall one of them")
    return found[0] if found else None


def need_plugin(group: Group, name: str) -> Plugin:
    """Find what a package brings by its name.

    Raises:
        PrerequisiteError: When no package brings it, or two do.
    """
    found = find_plugin(group, name)
    if found is not None:
        return found
    close = nearest(name, plugin_names(group))
    guess = f"did you mean {close!r}?" if close else "install the package that brings it"
    raise PrerequisiteError(f"no package brings {group.noun} {name!r}", guess)


def load_plugin(plugin: Plugin) -> object:
    """Import what a package brings.

    Raises:
        ForeignError: When that fails, in whatever way.
    """
    loaded: object = call_plugin(plugin, "cannot be loaded", plugin.entry.load)
    return loaded


def call_plugin(plugin: Plugin, what: str, act: Callable[[], Result]) -> Result:
    """Let code of another package do something, and say of that package what goes wrong in it.

    Args:
        plugin: Whose code it is.
        what: What has gone wrong, should it raise, such as "cannot be loaded".
        act: Does it.

    Raises:
        EkbError: What of ours passes through it.
        ForeignError: For whatever else it raises.
    """
    try:
        return act()
    except EkbError:
        raise
    except (Exception, SystemExit) as error:
        # Code of others may raise anything, and may even try to end the process; that is its own affair.
        text = f"{type(error).__name__}: {error}"[:MOST_CHARS]
        raise ForeignError(
            f"{plugin} {what}: {text}", f"mend, update or uninstall {plugin.package}"
        ) from error


def refuse_plugin(plugin: Plugin, expected: str, found: object) -> ForeignError:
    """Make the error for something that is not what its group wants.

    Args:
        plugin: What it is.
        expected: What was expected.
        found: What it brought.
    """
    message = f"{plugin} ({plugin.value}): expected {expected}, found {type(found).__name__}"
    return ForeignError(message, f"mend, update or uninstall {plugin.package}")


def _plugin(group: Group, entry: EntryPoint) -> Plugin:
    package = entry.dist
    name, version = (package.name, package.version) if package is not None else ("an unknown package", "")
    return Plugin(group, entry.name, entry.value, name or "an unknown package", version or "", entry)
