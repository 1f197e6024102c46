"""How the values of a parameter are drawn, as a row of the catalogue says it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Draw(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Normal(_Draw):
    """Independent normal values; integers are rounded and clipped to their range."""

    draw: Literal["normal"]
    mean: float = 0.0
    std: float = 1.0
    outlier: float = 1.0
    """Factor of the first and the last element along the last axis, as trained networks have a few features
    that outweigh all others; it makes a sum in a narrow type show whether its ends are there."""
    void: bool = False
    """Whether the last row along the first axis is zeros, as padding is, in all distributions but the typical
    one: what keeps a division from failing decides there."""
    corners: float | None = None
    """Value of the very first and the very last element, in every distribution: what is chosen at the borders
    alone shows there."""
    lift: tuple[int, float] | None = None
    """A place along the last axis but one, and what is added there: to biases of forget gates. Without it a
    recurrent network soon forgets, and a kernel that begins anew every so many steps is as good as right."""


class Uniform(_Draw):
    """Independent uniform values from `low` to `high`; integers include both ends."""

    draw: Literal["uniform"]
    low: float = 0.0
    high: float = 1.0


class Weights(_Draw):
    """Normal weights scaled so that a sum over the `fan` axes of unit inputs has variance `gain ** 2`.

    8-bit weights are symmetric with deviation 42, 4-bit weights take all of -8 to 7.
    """

    draw: Literal["weights"]
    fan: tuple[int, ...] | None = None
    """Axes that are summed over; None means all but the first."""
    gain: float = 1.0


class Requant(_Draw):
    """Multipliers that take an integer sum over `of` to 8 bits with deviation `std`, one a channel.

    A float parameter holds the real multiplier; an `i32` one its Q31 mantissa in `[2**30, 2**31)`,
    to go with a `requant_shift` parameter of the same `of`.
    """

    draw: Literal["requant"]
    of: str
    """Name of the weights."""
    fan: tuple[int, ...] | None = None
    """Axes of the weights that are summed over; None means all but the first."""
    std: float = 32.0
    x_std: float = 42.0
    """Deviation of the integer inputs about their zero point."""


class RequantShift(_Draw):
    """Right shifts beside Q31 mantissas: `acc * mantissa >> (31 + shift)`."""

    draw: Literal["requant_shift"]
    of: str
    fan: tuple[int, ...] | None = None
    std: float = 32.0
    x_std: float = 42.0


class Index(_Draw):
    """Positions in the range that the signature declares."""

    draw: Literal["index"]
    low: int | None = None
    """Least position in the typical distribution; None means the declared one, as everywhere else."""


class Permutation(_Draw):
    """The numbers 0 to n - 1 in random order along the last axis."""

    draw: Literal["permutation"]


class Distinct(_Draw):
    """Evenly spaced values in random order along the last axis: no near ties.

    From `low` they reach a random part of the way to `high`, at least half.
    """

    draw: Literal["distinct"]
    low: float = 0.0
    high: float = 1.0
    corners: float | None = None
    """Value of the first and the last element along the last axis, in every distribution: which of two equals
    is chosen, and whether place 0 counts as a place, show there."""


class Choice(_Draw):
    """One of a few values each (symbols, signs, codes); a value may stand more than once."""

    draw: Literal["choice"]
    values: tuple[float, ...]


class Grid(_Draw):
    """Uniform multiples of `step`: sums and squares are exact, so choices do not hang on rounding.

    In the heavy distribution they are multiples of a quarter of it.
    """

    draw: Literal["grid"]
    low: float = -1.0
    high: float = 1.0
    step: float = 0.015625


class Probability(_Draw):
    """Values that sum to one along the last axis."""

    draw: Literal["probability"]
    sharpness: float = 1.0


class Sorted(_Draw):
    """Rising values along the last axis."""

    draw: Literal["sorted"]
    low: float = 0.0
    high: float = 1.0
    power: float = 1.0
    """Exponent of the curve on average: below one it rises early, as a gamma curve does."""


class Mask(_Draw):
    """Zeros and ones (or truth values), `share` of them ones."""

    draw: Literal["mask"]
    share: float = 0.5
    ends: bool = False
    """Whether the first and the last element along the last axis are ones, whatever is drawn."""


class Image(_Draw):
    """Smooth shading, edges and noise over two axes, from `low` to `high`."""

    draw: Literal["image"]
    axes: tuple[int, int] = (-2, -1)
    low: float = 0.0
    high: float = 255.0
    specks: float | None = None
    """Value of one element in 97, in every distribution: a threshold right beside it shows there."""


class Warp(_Draw):
    """Where each place of a grid is read from: columns in the first plane, rows in the second.

    Both run from `low` to `high` over the grid, moved by a smooth field of deviation `std` of its side, so
    that neighbours read near each other, as motion and lenses have it.
    """

    draw: Literal["warp"]
    low: float = -1.0
    high: float = 1.0
    std: float = 0.05


class Signal(_Draw):
    """A few sinusoids with noise along `axis`, of deviation near `std`, about `mean`."""

    draw: Literal["signal"]
    axis: int = -1
    mean: float = 0.0
    std: float = 1.0
    noise: float = 0.2
    void: bool = False
    """Whether the last row along the first axis is zeros, in all distributions but the typical one: a sensor
    that is not connected."""


class Pulses(_Draw):
    """A baseline with a sharp beat about every `period` samples along the last axis, as in an ECG."""

    draw: Literal["pulses"]
    period: int
    mean: float = 0.0
    """Where the baseline lies, and what is rest."""
    std: float = 1.0
    silent: float = 0.0
    """Share of the samples, the last ones, that are exactly at rest, in all distributions but the typical
    one."""


class Walk(_Draw):
    """A random walk along `axis`, of deviation near `std`."""

    draw: Literal["walk"]
    axis: int = -1
    std: float = 1.0


class Boxes(_Draw):
    """Boxes x0 y0 x1 y1 about `objects` centres in an image of `extent` pixels, on a quarter-pixel grid."""

    draw: Literal["boxes"]
    extent: float = 320.0
    low: float = 0.0
    """Where the extent begins: below 0, boxes stick out of the image at the left and the top."""
    objects: int = 40
    far: int = 0
    """How many objects more are about a pixel large and stand in one row and one column, a crowd far away:
    where two do not meet, their overlap is zero and not some small number."""


class Sections(_Draw):
    """Stable second-order sections b0 b1 b2 a1 a2 along the last axis, each with a gain of its own."""

    draw: Literal["sections"]


class Rotary(_Draw):
    """Cosines or sines of position times frequency, positions along the first axis."""

    draw: Literal["rotary"]
    part: Literal["cos", "sin"]
    base: float = 10000.0


class Mel(_Draw):
    """Triangular filters on the mel scale, one a row, over the bins of a real transform; faint elsewhere."""

    draw: Literal["mel"]
    rate: float = 16000.0
    """Samples a second."""
    low: float = 0.0
    """Lowest frequency in hertz; the highest is half the rate."""


class PositiveDefinite(_Draw):
    """Well-conditioned symmetric positive definite matrices over the last two axes."""

    draw: Literal["positive_definite"]
    lower: bool = False
    """Whether only the lower half is the matrix, as for a factorisation: above stands something else."""


class Triangular(_Draw):
    """Well-conditioned lower triangular matrices over the last two axes, zeros above."""

    draw: Literal["triangular"]


class Identity(_Draw):
    """The identity over the last two axes, times `scale`, plus `offset` and normal noise everywhere."""

    draw: Literal["identity"]
    scale: float = 1.0
    offset: float = 0.0
    noise: float = 0.05


Draw = Annotated[
    Normal | Uniform | Grid | Choice | Mask | Sorted | Distinct | Probability | Index | Permutation
    | Image | Warp | Signal | Pulses | Walk | Boxes | Sections | PositiveDefinite | Triangular | Identity
    | Rotary | Mel
    | Weights | Requant | RequantShift,
    Field(discriminator="draw"),
]  # fmt: skip
"""One way to draw a parameter."""
