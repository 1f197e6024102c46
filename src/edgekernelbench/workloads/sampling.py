"""Values for one parameter: what each draw of a row means, and how the other distributions bend it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod
from typing import assert_never

import numpy as np

from edgekernelbench.ir.compute import Param
from edgekernelbench.workloads import structures
from edgekernelbench.workloads.draws import (
    Boxes,
    Choice,
    Distinct,
    Draw,
    Grid,
    Identity,
    Image,
    Index,
    Mask,
    Mel,
    Normal,
    Permutation,
    PositiveDefinite,
    Probability,
    Pulses,
    Requant,
    RequantShift,
    Rotary,
    Sections,
    Signal,
    Sorted,
    Triangular,
    Uniform,
    Walk,
    Warp,
    Weights,
)
from edgekernelbench.workloads.stream import Floats, Shape, Stream
from edgekernelbench.workloads.weights import sample_requant, sample_weights


class Distribution(StrEnum):
    """How the values of run-time parameters lie; weights do not change with it."""

    TYPICAL = "typical"
    """As the row says."""
    HEAVY = "heavy"
    """Rare large values, values at both ends of their range, a few indices much more often than others."""
    SPARSE = "sparse"
    """Three of four values at rest, few different indices."""
    RAMP = "ramp"
    """Values that rise with the position: what is read from the wrong place shows."""
    EXTREME = "extreme"
    """Only the two ends of the range, and those of the signature where it has one."""
    CONSTANT = "constant"
    """One value everywhere."""
    LARGE = "large"
    """Values so far from their rest that an exponential overflows unless something holds it back."""
    FAINT = "faint"
    """Values so near zero, or rest, that what only keeps a division from failing decides the result."""


STANDARD = (Distribution.TYPICAL, Distribution.HEAVY, Distribution.SPARSE)
"""The distributions that every judgement uses."""

ADVERSARIAL = (
    Distribution.RAMP, Distribution.EXTREME, Distribution.CONSTANT, Distribution.LARGE, Distribution.FAINT
)  # fmt: skip
"""The distributions that are added by the kind of operation, `adversaries.py`."""

LARGE_FACTOR = 512.0
"""Even the greatest two of some hundred values then differ by more than 88, where exp overflows in f32."""

FAINT_SHARES = (2.0**-9, 2.0**-18, 2.0**-12)
"""What is left of rows in turn: variances of the order of the usual 1e-5, and of 1e-12, under a root; and
16-bit samples of one or two steps."""

NARROW_BITS = 16
"""Of integers up to so many bits the type itself says what a kernel must be right for."""

FAR_SHARE = 0.875
"""Of extremes, so many are those of the signature; the others, those of the row, make ties of other kinds."""

FEW = 16
"""Of fewer elements, such as the shift of an image, half are: else nothing would be left in the picture."""

FINER = 4
"""In the heavy distribution a grid is so many times as fine: what fits the coarse one alone is wrong. Sums
and squares of such values still are exact."""

LEAST_SHARE = 0.5
"""Distinct values take at least this share of their range, from its low end."""

MEL_LEAK = 2.0**-10
"""What mel filters take of frequencies beside theirs, at most."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Independent values with the range in which they may be bent.

    Attributes:
        values: As the row says.
        low: Least value that makes sense.
        high: Greatest value that makes sense.
        rest: The value of "nothing there".
        is_open: Whether values far outside the range make sense too.
        is_two: Whether only the two ends do.
        ends: Ends of the range that the signature allows, where it says so.
    """

    values: Floats
    low: float
    high: float
    rest: float
    is_open: bool = False
    is_two: bool = False
    ends: tuple[float, float] | None = None


def sample(
    param: Param, draw: Draw, weights: Param | None, stream: Stream, distribution: Distribution
) -> Floats:
    """Draw the values of one parameter, before rounding to its type.

    Args:
        param: The parameter.
        draw: What the row says.
        weights: The parameter that `draw.of` names; None for draws without one.
        stream: Random numbers of this parameter alone.
        distribution: How to bend run-time values.

    Returns:
        An array of the parameter's shape.
    """
    if param.const:
        distribution = Distribution.TYPICAL
    match draw:
        case Weights():
            return sample_weights(param, draw, stream)
        case Requant() | RequantShift():
            return sample_requant(param, draw, weights, stream)
        case Index() | Choice():
            return _index(param, draw, stream, distribution)
        case Distinct():
            return _distinct(draw, param.shape, stream, distribution)
        case Boxes():
            share = {Distribution.SPARSE: 0.25, Distribution.HEAVY: 1.5}.get(distribution, 1.0)
            objects = max(1, int(share * draw.objects))
            return draw.low + structures.boxes(
                draw.extent, param.shape, stream, objects=objects, far=draw.far
            )
        case Sorted():
            places = np.sort(_bent(_uniform(0.0, 1.0, param.shape, stream), stream, distribution))
            return draw.low + (draw.high - draw.low) * places**draw.power
        case Grid():
            values = _bent(_plain(param, draw, stream), stream, distribution)
            finer = stream.below(FINER, param.shape) / FINER if distribution is Distribution.HEAVY else 0.0
            return (np.rint(values / draw.step) + finer) * draw.step
        case Uniform() | Walk() | Warp():
            return _bent(_ended(param, _plain(param, draw, stream)), stream, distribution)
        case Normal() | Image() | Mask() | Pulses() | Signal():
            plain = _ended(param, _plain(param, draw, stream))
            return _held(draw, _bent(plain, stream, distribution), distribution)
        case PositiveDefinite() | Triangular():
            return _matrix(draw, param.shape, stream, distribution)
        case _:
            return _structured(draw, param.shape, stream)


def _ended(param: Param, plain: Plain) -> Plain:
    """Say how far the signature lets values go, so that no kernel gets by with less than it promises.

    What a row draws is often much nearer together, and sums of it fit a narrower type. Of integers of 32 bits
    and more the type says nothing: their overflow is unspecified, and no row means it.
    """
    small = param.dtype.is_int and (param.bounds is not None or param.dtype.bits <= NARROW_BITS)
    if not small or plain.is_two:
        return plain
    low, high = param.dtype.bounds if param.bounds is None else (param.bounds[0], param.bounds[1] - 1)
    return replace(plain, ends=(float(low), float(high)))


def _held(
    draw: Normal | Image | Mask | Pulses | Signal, values: Floats, distribution: Distribution
) -> Floats:
    """Put in what stands in its place whatever is drawn, since the mistake of a place shows nowhere else.

    What is nothing there, and would be work that can be left out, is no part of the typical distribution.
    """
    is_typical = distribution is Distribution.TYPICAL
    if isinstance(draw, Normal) and draw.outlier != 1.0:
        values[..., 0] *= draw.outlier
        values[..., -1] *= draw.outlier
    if isinstance(draw, Normal | Signal) and draw.void and not is_typical:
        values[-1] = 0.0
    if isinstance(draw, Image) and draw.specks is not None:
        values.reshape(-1)[::97] = draw.specks
    if isinstance(draw, Normal) and draw.lift is not None:
        values[..., draw.lift[0], :] += draw.lift[1]
    if isinstance(draw, Normal) and draw.corners is not None:
        values.flat[0] = values.flat[-1] = draw.corners
    if isinstance(draw, Mask) and draw.ends:
        values[..., 0] = values[..., -1] = 1.0
    if isinstance(draw, Pulses) and draw.silent and not is_typical:
        values[..., round((1.0 - draw.silent) * values.shape[-1]) :] = draw.mean
    return values


def _matrix(
    draw: PositiveDefinite | Triangular, shape: Shape, stream: Stream, distribution: Distribution
) -> Floats:
    spread = 2.0 if distribution is Distribution.HEAVY else 0.0
    filled = 0.25 if distribution is Distribution.SPARSE else 1.0
    if isinstance(draw, PositiveDefinite):
        whole = structures.positive_definite(shape, stream, spread=spread, filled=filled)
        return np.tril(whole) + np.triu(stream.normal(shape), 1) if draw.lower else whole
    return structures.triangular(shape, stream, spread=spread, filled=filled)


def _structured(
    draw: Permutation | Probability | Sections | Identity | Rotary | Mel,
    shape: Shape,
    stream: Stream,
) -> Floats:
    """Draw what has to keep its structure, whatever the distribution."""
    match draw:
        case Permutation():
            return stream.orders(prod(shape[:-1]), shape[-1]).astype(np.float64).reshape(shape)
        case Probability():
            return structures.probability(draw.sharpness, shape, stream)
        case Sections():
            return structures.sections(shape, stream)
        case Identity():
            return draw.scale * np.eye(shape[-1]) + draw.offset + draw.noise * stream.normal(shape)
        case Rotary():
            return structures.rotary(draw.part, draw.base, shape)
        case Mel():
            # No zeros: a kernel that knows where those of such filters are would read the others alone.
            return structures.mel(draw.rate, draw.low, shape) + MEL_LEAK * stream.unit(shape)
        case _:
            assert_never(draw)


def _plain(
    param: Param, draw: Normal | Uniform | Grid | Mask | Image | Warp | Signal | Pulses | Walk, stream: Stream
) -> Plain:
    shape = param.shape
    match draw:
        case Normal():
            values = draw.mean + draw.std * stream.normal(shape)
            return Plain(values, draw.mean - 3 * draw.std, draw.mean + 3 * draw.std, draw.mean, is_open=True)
        case Uniform():
            return _uniform(draw.low, draw.high + (1.0 if param.dtype.is_int else 0.0), shape, stream)
        case Grid():
            steps = round((draw.high - draw.low) / draw.step)
            values = draw.low + draw.step * stream.below(steps + 1, shape).astype(np.float64)
            return Plain(values, draw.low, draw.high, draw.low)
        case Mask():
            return Plain(stream.chance(draw.share, shape).astype(np.float64), 0.0, 1.0, 0.0, is_two=True)
        case Image():
            values = draw.low + (draw.high - draw.low) * structures.image(draw.axes, shape, stream)
            return Plain(values, draw.low, draw.high, draw.low)
        case Warp():
            values = draw.low + (draw.high - draw.low) * structures.warp(draw.std, shape, stream)
            return Plain(values, draw.low, draw.high, draw.low)
        case Signal():
            values = draw.mean + draw.std * structures.signal(draw.axis, draw.noise, shape, stream)
            return Plain(values, draw.mean - 3 * draw.std, draw.mean + 3 * draw.std, draw.mean)
        case Pulses():
            values = draw.mean + draw.std * structures.pulses(draw.period, shape, stream)
            return Plain(values, draw.mean - draw.std, draw.mean + 4 * draw.std, draw.mean)
        case Walk():
            values = draw.std * structures.walk(draw.axis, shape, stream)
            return Plain(values, -3 * draw.std, 3 * draw.std, 0.0)
        case _:
            assert_never(draw)


def _uniform(low: float, high: float, shape: Shape, stream: Stream) -> Plain:
    return Plain(low + (high - low) * stream.unit(shape), low, high, low)


def _bent(plain: Plain, stream: Stream, distribution: Distribution) -> Floats:
    values, shape = plain.values, plain.values.shape
    match distribution:
        case Distribution.TYPICAL:
            return values
        case Distribution.HEAVY:
            far = np.clip(plain.rest + 4 * (values - plain.rest), plain.low * 2, plain.high * 2)
            ends = np.where(stream.chance(0.5, shape), plain.low, plain.high)
            bounded = np.where(stream.chance(0.5, shape), ends, np.clip(far, plain.low, plain.high))
            return np.where(stream.chance(0.1, shape), bounded, values)
        case Distribution.SPARSE:
            return np.where(stream.chance(0.75, shape), plain.rest, values)
        case Distribution.RAMP:
            places = np.arange(values.size, dtype=np.float64).reshape(shape) % 997
            return plain.low + (plain.high - plain.low) * places / 996
        case Distribution.EXTREME:
            is_low = stream.chance(0.5, shape)
            near = np.where(is_low, plain.low, plain.high)
            if plain.ends is None:
                return near
            share = FAR_SHARE if values.size >= FEW else 0.5
            return np.where(stream.chance(share, shape), np.where(is_low, *plain.ends), near)
        case Distribution.CONSTANT:
            return np.full(shape, plain.low + 0.75 * (plain.high - plain.low))
        case Distribution.LARGE:
            return plain.rest + (LARGE_FACTOR if plain.is_open else 1.0) * (values - plain.rest)
        case Distribution.FAINT:
            # Open values shrink towards zero, not towards their mean: how far they are spread compares with
            # how large they are as before, so that no right way to compute a variance loses digits by it.
            rest = 0.0 if plain.is_open else plain.rest
            return values if plain.is_two else rest + _shares(shape) * (values - rest)
        case _:
            assert_never(distribution)


def _shares(shape: Shape) -> Floats:
    """Give what is left of each element, the same along all axes but the first of several."""
    rows = np.arange(shape[0] if len(shape) > 1 else 1) % len(FAINT_SHARES)
    return np.take(FAINT_SHARES, rows).reshape(-1, *(1,) * (len(shape) - 1)) if shape else np.array(1.0)


def _index(param: Param, draw: Index | Choice, stream: Stream, distribution: Distribution) -> Floats:
    if isinstance(draw, Choice):
        places = _places(len(draw.values), param.shape, stream, distribution)
        return np.asarray(draw.values, dtype=np.float64)[places.astype(np.int64)]
    least, stop = param.bounds if param.bounds is not None else (0, param.dtype.bounds[1] + 1)
    # Elsewhere all that the signature allows: a kernel is right for short sequences too.
    kept = draw.low is not None and distribution is Distribution.TYPICAL
    low = min(draw.low, stop - 1) if kept and draw.low is not None else least
    return low + _places(stop - low, param.shape, stream, distribution)


def _places(count: int, shape: Shape, stream: Stream, distribution: Distribution) -> Floats:
    """Draw whole numbers from 0 to `count` - 1."""
    unit = stream.unit(shape)
    match distribution:
        case Distribution.TYPICAL:
            pass
        case Distribution.HEAVY:
            unit = unit**3
        case Distribution.SPARSE:
            unit = np.floor(unit * 64) / 64 + float(stream.unit(())) / 64
        case Distribution.RAMP:
            unit = (np.arange(unit.size).reshape(shape) % count + 0.5) / count
        case Distribution.EXTREME:
            unit = np.where(unit < 0.5, 0.0, 1 - 2.0**-53)
        case Distribution.CONSTANT:
            unit = np.full(shape, float(stream.unit(())))
        case Distribution.LARGE | Distribution.FAINT:
            pass
        case _:
            assert_never(distribution)
    return np.floor(unit * count)


def _distinct(draw: Distinct, shape: Shape, stream: Stream, distribution: Distribution) -> Floats:
    length = shape[-1]
    places = stream.orders(prod(shape[:-1]), length)
    if distribution is Distribution.RAMP:
        places = np.sort(places, axis=1)
    spaced = (places + 0.5) / length
    if distribution is Distribution.SPARSE:
        spaced = np.where(places % 4 == 0, spaced, spaced / 16)
    if distribution is Distribution.HEAVY:
        spaced = spaced**3
    # Else the values would be the same each time, and the place of each in their order could be read off it.
    share = LEAST_SHARE + (1.0 - LEAST_SHARE) * float(stream.unit(()))
    values = draw.low + share * (draw.high - draw.low) * spaced.reshape(shape)
    if draw.corners is not None:
        values[..., 0] = values[..., -1] = draw.corners
    return values
