"""Stereo by census transform and window sums: bits packed into words, counted by halves."""

import torch
import torch.nn.functional as F

WEIGHTS = 1 << torch.arange(25, dtype=torch.int32)[:, None, None]


def census(image):
    """Which of 25 neighbours are darker than the centre, one bit each."""
    height, width = image.shape
    padded = F.pad(image[None], (2, 2, 2, 2), mode="replicate")[0]
    near = padded.unfold(0, height, 1).unfold(1, width, 1).flatten(0, 1)
    return ((near < image) * WEIGHTS).sum(0, dtype=torch.int32)


def popcount(word):
    """Number of ones of words of 25 bits."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    word = word + (word >> 8)
    return (word + (word >> 16)) & 63


def census_stereo(left, right, *, D):
    """Hamming distances at every disparity, window sums, least."""
    width = left.shape[1]
    place = (torch.arange(width) - torch.arange(D)[:, None]).clamp(min=0)
    distance = popcount(census(left)[:, None] ^ census(right)[:, place]).permute(1, 0, 2).float()
    padded = F.pad(distance[:, None], (2, 2, 2, 2), mode="replicate")
    rows = F.avg_pool2d(padded, (1, 5), 1, divisor_override=1)
    total = F.avg_pool2d(rows, (5, 1), 1, divisor_override=1)[:, 0].int()
    return total.argmin(dim=0).int(), total.amin(dim=0)
