"""Draws with a structure: images, signals, boxes, matrices; deviation near one where that makes sense."""

from math import log10, prod

import numpy as np

from edgekernelbench.workloads.stream import Floats, Shape, Stream


def image(axes: tuple[int, int], shape: Shape, stream: Stream) -> Floats:
    """Make pictures in [0, 1]: shading, eight overlapping rectangles and fine noise.

    Args:
        axes: Rows and columns; pictures along other axes share their edges, not their brightness.
        shape: The shape.
        stream: Random numbers.

    Returns:
        An array of that shape.
    """
    moved = tuple(axis % len(shape) for axis in axes)
    others = [axis for axis in range(len(shape)) if axis not in moved]
    height, width = (shape[axis] for axis in moved)
    count = prod(shape[axis] for axis in others)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    y, x = y / height, x / width
    slopes = stream.unit((count, 2)) - 0.5
    picture = 0.45 + 0.5 * (slopes[:, :1, None] * y + slopes[:, 1:, None] * x)
    corners = stream.unit((8, 4))
    tones = stream.unit((8, count)) - 0.5
    for (top, left, high, wide), tone in zip(corners, tones, strict=True):
        inside = (y >= top) & (y < top + 0.5 * high) & (x >= left) & (x < left + 0.5 * wide)
        picture += 0.6 * tone[:, None, None] * inside
    picture = np.clip(picture + 0.02 * stream.normal((count, height, width)), 0.0, 1.0)
    full = picture.reshape(*(shape[axis] for axis in others), height, width)
    return np.ascontiguousarray(np.moveaxis(full, (-2, -1), moved))


def warp(std: float, shape: Shape, stream: Stream) -> Floats:
    """Make the columns and rows of a grid in [0, 1], moved by a few waves.

    Args:
        std: Deviation of the movement.
        shape: 2, rows and columns.
        stream: Random numbers.

    Returns:
        An array of that shape.
    """
    _, height, width = shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    y, x = (y + 0.5) / height, (x + 0.5) / width
    turns, phase = 3.0 * stream.unit((2, 4, 2, 1, 1)) - 1.5, stream.unit((2, 4, 1, 1))
    waves = np.sin(2 * np.pi * (turns[:, :, 0] * y + turns[:, :, 1] * x + phase)).sum(axis=1)
    return np.asarray(np.stack([x, y]) + std / np.sqrt(2.0) * waves)


def signal(axis: int, noise: float, shape: Shape, stream: Stream) -> Floats:
    """Make sums of four sinusoids of random frequency, phase and height, with noise, along one axis."""
    length = shape[axis]
    count = prod(shape) // length
    t = np.arange(length, dtype=np.float64)
    frequency = 0.002 + 0.2 * stream.unit((count, 4, 1)) ** 2
    phase, height = stream.unit((count, 4, 1)), 0.3 + 0.7 * stream.unit((count, 4, 1))
    waves = (height * np.sin(2 * np.pi * (frequency * t + phase))).sum(axis=1)
    return _along(waves + noise * stream.normal((count, length)), axis, shape)


def pulses(period: int, shape: Shape, stream: Stream) -> Floats:
    """Make beats along the last axis: a sharp peak, a flat wave after it, drift and noise."""
    length = shape[-1]
    count = prod(shape) // length
    beat = period * (0.9 + 0.2 * stream.unit((count, 1)))
    start = beat * stream.unit((count, 1))
    phase = ((np.arange(length) + start) % beat) / beat
    peak = np.clip(1 - np.abs(phase - 0.3) / 0.02, 0.0, None)
    wave = np.clip(1 - ((phase - 0.55) / 0.1) ** 2, 0.0, None)
    height = 3.0 + stream.unit((count, 1))
    values = height * peak + 0.7 * wave + walk(-1, (count, length), stream) * 0.2
    return np.asarray(values + 0.05 * stream.normal((count, length))).reshape(shape)


def walk(axis: int, shape: Shape, stream: Stream) -> Floats:
    """Make random walks along one axis; over the whole length they wander about one deviation."""
    length = shape[axis]
    steps = stream.normal((prod(shape) // length, length))
    return _along(np.cumsum(steps, axis=1) * (1.4 / np.sqrt(length)), axis, shape)


def boxes(extent: float, shape: Shape, stream: Stream, *, objects: int, far: int = 0) -> Floats:
    """Make boxes x0 y0 x1 y1 about shared centres, on a quarter-pixel grid so that areas are exact.

    Args:
        extent: Width and height of the image in pixels.
        shape: Any leading axes and 4.
        stream: Random numbers.
        objects: How many different centres there are; boxes about one of them overlap by more than half.
        far: How many objects more there are of about a pixel, in turn in the middle row and column.

    Returns:
        An array of that shape.
    """
    count = prod(shape[:-1])
    centres = extent * (0.1 + 0.8 * stream.unit((objects, 2)))
    sizes = extent * (0.04 + 0.2 * stream.unit((objects, 2)))
    if far:
        places = extent * (np.arange(far) + 1.0) / (far + 1)
        row = np.arange(far) % 2 == 0
        line = np.stack([np.where(row, places, extent / 2), np.where(row, extent / 2, places)], axis=1)
        centres, sizes = np.concatenate([centres, line]), np.concatenate([sizes, np.full((far, 2), 1.25)])
    which = stream.below(objects + far, (count,))
    size = sizes[which] * (0.8 + 0.4 * stream.unit((count, 2)))
    centre = centres[which] + 0.1 * sizes[which] * stream.normal((count, 2))
    low = np.clip(np.rint(4 * (centre - size / 2)) / 4, 0.0, extent - 2)
    high = np.clip(np.rint(4 * (centre + size / 2)) / 4, low + 1, extent)
    return np.concatenate([low, high], axis=1).reshape(shape)


def probability(sharpness: float, shape: Shape, stream: Stream) -> Floats:
    """Make positive values that sum to one along the last axis."""
    weight = np.exp(sharpness * stream.normal(shape))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def sections(shape: Shape, stream: Stream) -> Floats:
    """Make stable second-order sections b0 b1 b2 a1 a2, each a peak or a notch, elsewhere a gain near one."""
    count = prod(shape[:-1])
    angle = 0.05 + 2.6 * stream.unit((count,)) ** 2
    pole, zero = 0.7 + 0.25 * stream.unit((count,)), 0.7 + 0.25 * stream.unit((count,))
    turn, gain = np.cos(angle), 0.75 + 0.5 * stream.unit((count,))
    rows = [gain, -2 * gain * zero * turn, gain * zero**2, -2 * pole * turn, pole**2]
    return np.stack(rows, axis=1).astype(np.float64).reshape(shape)


def rotary(part: str, base: float, shape: Shape) -> Floats:
    """Make cosines or sines of position (rows) times `base ** (-column / columns)`."""
    rows, columns = shape
    angle = np.arange(rows)[:, None] * base ** (-np.arange(columns) / columns)
    return np.asarray(np.cos(angle) if part == "cos" else np.sin(angle))


def mel(rate: float, low: float, shape: Shape) -> Floats:
    """Make triangular filters, evenly spaced on the HTK mel scale, of height one.

    Source:
        Young et al., The HTK Book, section 5.4.
    """
    rows, bins = shape
    first, last = 2595 * log10(1 + low / 700), 2595 * log10(1 + rate / 1400)
    corners = 700 * (10 ** (np.linspace(first, last, rows + 2) / 2595) - 1)
    centre = np.linspace(0, rate / 2, bins)
    rise = (centre - corners[:-2, None]) / np.diff(corners)[:-1, None]
    fall = (corners[2:, None] - centre) / np.diff(corners)[1:, None]
    return np.asarray(np.clip(np.minimum(rise, fall), 0.0, None))


def positive_definite(shape: Shape, stream: Stream, *, spread: float, filled: float) -> Floats:
    """Make A Aᵀ / n + I / 2: symmetric, positive definite, condition near ten.

    Args:
        shape: Any leading axes and a square.
        stream: Random numbers.
        spread: Rows and columns are scaled by up to two to this power, up or down.
        filled: Share of the elements of A that are not zero.

    Returns:
        An array of that shape.
    """
    size = shape[-1]
    a = stream.normal(shape) * stream.chance(filled, shape)
    scale = 2.0 ** (spread * (2 * stream.unit(shape[:-1]) - 1))
    product = np.einsum("...ik,...jk->...ij", a, a) / size + 0.5 * np.eye(size)
    return np.asarray(product * (scale[..., :, None] * scale[..., None, :]))


def triangular(shape: Shape, stream: Stream, *, spread: float, filled: float) -> Floats:
    """Make lower triangular matrices with a dominant diagonal, so that solving with them is tame.

    Args:
        shape: Any leading axes and a square.
        stream: Random numbers.
        spread: Rows are scaled by up to two to this power, up or down.
        filled: Share of the elements below the diagonal that are not zero.

    Returns:
        An array of that shape.
    """
    size = shape[-1]
    below = np.tril(stream.normal(shape) * stream.chance(filled, shape) / np.sqrt(size), -1)
    diagonal = 1.0 + 0.5 * stream.unit(shape[:-1])
    scale = 2.0 ** (spread * (2 * stream.unit(shape[:-1]) - 1))
    return np.asarray((below + diagonal[..., None] * np.eye(size)) * scale[..., None])


def _along(rows: Floats, axis: int, shape: Shape) -> Floats:
    """Give rows back as an array of `shape` with the rows along `axis`."""
    moved = axis % len(shape)
    others = [n for place, n in enumerate(shape) if place != moved]
    return np.ascontiguousarray(np.moveaxis(rows.reshape(*others, shape[moved]), -1, moved))
