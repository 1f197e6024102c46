"""Quantities whose unit is a type."""

from typing import NewType

Nanoseconds = NewType("Nanoseconds", int)
"""A duration, integer nanoseconds of a monotonic clock."""

Bytes = NewType("Bytes", int)
"""An amount of memory."""
