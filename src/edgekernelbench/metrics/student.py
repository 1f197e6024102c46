"""Student's t: the quantile that a lower confidence bound needs, from the standard library alone."""

import math


def t_cdf(t: float, freedom: int) -> float:
    """Give the distribution function of Student's t.

    Args:
        t: Where.
        freedom: Degrees of freedom, at least 1.

    Returns:
        The probability of a value of at most `t`.

    Source:
        Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4: finite sums for
        whole degrees of freedom.
    """
    angle = math.atan2(t, math.sqrt(freedom))
    cosine = math.cos(angle)
    if freedom % 2:
        term, total = cosine, 0.0
        for step in range(1, (freedom - 1) // 2 + 1):
            total += term
            term *= cosine * cosine * (2 * step) / (2 * step + 1)
        return 0.5 + (angle + math.sin(angle) * total) / math.pi
    term, total = 1.0, 0.0
    for step in range(1, freedom // 2 + 1):
        total += term
        term *= cosine * cosine * (2 * step - 1) / (2 * step)
    return 0.5 + math.sin(angle) * total / 2


def t_quantile(probability: float, freedom: int) -> float:
    """Invert `t_cdf`.

    Args:
        probability: Strictly between 0 and 1.
        freedom: Degrees of freedom, at least 1.

    Returns:
        The value that a draw does not exceed with that probability.

    Raises:
        ValueError: When an argument is outside its range.
    """
    if not 0 < probability < 1 or freedom < 1:
        raise ValueError(f"no quantile for {probability=} {freedom=}")
    low, high = -1.0, 1.0
    while t_cdf(low, freedom) > probability:
        low *= 2
    while t_cdf(high, freedom) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2
