"""A device, as a profile in a file beside this one."""

from importlib.resources import files
from importlib.resources.abc import Traversable


def zero_2w() -> Traversable:
    """Give the profile of a Raspberry Pi Zero 2 W."""
    return files(__package__) / "zero-2w.toml"
