"""Correction of single bad pixels in a Bayer mosaic, pair by pair."""

import torch
import torch.nn.functional as F

PAIRS = ((0, 2), (2, 0), (0, 0), (0, 4))  # one of each opposite pair


def bad_pixel(raw, *, LIMIT):
    """Keep the least bend so far, and the mean that goes with it."""
    height, width = raw.shape
    padded = F.pad(raw.float()[None, None], (2, 2, 2, 2), mode="reflect")[0, 0].int()

    def shifted(y, x):
        return padded[y : y + height, x : x + width]

    own = shifted(2, 2)
    nearest = least = torch.full_like(own, 1 << 20)
    chosen = own
    for y, x in PAIRS:
        one, other = shifted(y, x), shifted(4 - y, 4 - x)
        total = one + other
        nearest = torch.minimum(nearest, torch.minimum((one - own).abs(), (other - own).abs()))
        bend = (2 * own - total).abs()
        chosen = torch.where(bend < least, (total + 1) >> 1, chosen)
        least = torch.minimum(least, bend)
    return torch.where(nearest > LIMIT, chosen, own).to(torch.uint16)
