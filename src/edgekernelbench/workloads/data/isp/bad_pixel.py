"""Correction of single bad pixels in a Bayer mosaic."""

import torch
import torch.nn.functional as F

PAIRS = ((0, 2), (2, 0), (0, 0), (0, 4))  # one of each opposite pair


def bad_pixel(raw, *, LIMIT):
    """Pixels far from all neighbours of their colour become the mean along the smoothest direction."""
    height, width = raw.shape
    padded = F.pad(raw.float()[None, None], (2, 2, 2, 2), mode="reflect")[0, 0].int()

    def shifted(y, x):
        return padded[y : y + height, x : x + width]

    own = shifted(2, 2)
    first = torch.stack([shifted(y, x) for y, x in PAIRS])
    second = torch.stack([shifted(4 - y, 4 - x) for y, x in PAIRS])
    odd = (torch.minimum((first - own).abs(), (second - own).abs()) > LIMIT).all(0)
    bend = (2 * own - first - second).abs()
    means = (first + second + 1) >> 1
    chosen = means.gather(0, bend.argmin(0, keepdim=True))[0]
    return torch.where(odd, chosen, own).to(torch.uint16)
