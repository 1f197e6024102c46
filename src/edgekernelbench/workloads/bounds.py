"""How far the sizes and constants of a pattern may be moved, and moving them."""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.base.errors import CatalogueError, SourceError
from edgekernelbench.lang.quantity import read_number
from edgekernelbench.workloads.schema import Bound, Size
from edgekernelbench.workloads.stream import Stream

REACH = 0.25
"""A redrawn value is at most this share of the row's own away from it: work of the same kind and time. What
is so small that a step is more, such as a window of 3, stays."""

DIGITS = 4
"""A redrawn constant has so many significant digits, as one that a person writes."""


@dataclass(frozen=True, slots=True)
class Span:
    """Values that a capital may take.

    Attributes:
        low: The least.
        high: The greatest.
        step: Distance of neighbours, counted from `low`; None for any number between.
    """

    low: float
    high: float
    step: int | None

    @classmethod
    def of(cls, bound: list[int | float], value: Size) -> "Span":
        """Read `[low, high]` or `[low, high, step]`; whole numbers are a step of one apart."""
        whole = isinstance(value, int)
        step = int(bound[2]) if len(bound) > 2 else 1 if whole else None
        return cls(bound[0], bound[1], step)

    def holds(self, value: float) -> bool:
        """Whether a value is allowed."""
        return self.low <= value <= self.high and (self.step is None or (value - self.low) % self.step == 0)

    def near(self, value: float, stream: Stream) -> float:
        """Draw a value near another, within `REACH` of it.

        Args:
            value: The value of the row.
            stream: Random numbers.
        """
        reach = REACH * abs(value)
        low, high = max(self.low, value - reach), min(self.high, value + reach)
        if self.step is None:
            return float(f"{low + (high - low) * float(stream.unit(())):.{DIGITS}g}")
        first, last = -(-(low - self.low) // self.step), (high - self.low) // self.step
        place = first + int(stream.below(int(last - first) + 1, ()))
        return int(self.low + self.step * place)


def redraw_sizes(
    sizes: Mapping[str, Size], bounds: Mapping[str, Bound], stream: Stream, place: str
) -> dict[str, Size]:
    """Draw other sizes and constants.

    Args:
        sizes: Those of the row.
        bounds: What the pattern declares; what has no bound stays as it is.
        stream: Random numbers.
        place: Id of the workload, for messages.

    Returns:
        A value for each of `sizes`: drawn ones first, then those that follow from them.

    Raises:
        CatalogueError: When a row is outside its bounds, or a bound cannot be read.
    """
    drawn = dict(sizes)
    for name, bound in bounds.items():
        if isinstance(bound, str):
            continue
        value = sizes[name]
        span = Span.of(bound, value)
        if isinstance(value, str) or not span.holds(value):
            raise CatalogueError(f"{place}: {name}: expected a value in {bound}, found {value}")
        drawn[name] = span.near(value, stream)
    for name, bound in bounds.items():
        if isinstance(bound, str):
            drawn[name] = _follow(name, bound, drawn, place)
    return drawn


def derived_sizes(sizes: Mapping[str, Size], bounds: Mapping[str, Bound], place: str) -> dict[str, Size]:
    """Give what the bounds say of the sizes that follow from others, to be held against the row."""
    return {
        name: _follow(name, bound, dict(sizes), place)
        for name, bound in bounds.items()
        if isinstance(bound, str)
    }


def _follow(name: str, bound: str, known: dict[str, Size], place: str) -> Size:
    try:
        value = read_number(bound, known)
    except (SourceError, SyntaxError) as error:
        raise CatalogueError(f"{place}: {name}: expected a number, found {bound!r}") from error
    if value is None:
        raise CatalogueError(f"{place}: {name}: {bound!r} names a size that the pattern does not have")
    return value
