"""Two clocks for one thing: the device's events and the host's wall clock."""

CLOCKS_APART = 1.02
CLOCKS_APART_NS = 50_000
"""How far the span between events may exceed the wall clock before it is not believed."""


def believed(wall: int, span: int) -> int:
    """Choose between two clocks: the device's, unless it says more than passed.

    Args:
        wall: Nanoseconds by the wall clock, from before the first launch until after the last kernel.
        span: Nanoseconds by the device's events, from the first kernel to the last.

    Returns:
        The duration to report.
    """
    return span if 0 < span <= wall * CLOCKS_APART + CLOCKS_APART_NS else wall
