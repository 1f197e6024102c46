"""Correction of single bad pixels in a Bayer mosaic."""

import torch
import torch.nn.functional as F


def bad_pixel(raw, *, LIMIT):
    """Pixels far from all neighbours of their colour become the mean along the smoothest direction."""
    height, width = raw.shape
    padded = F.pad(raw.float()[None, None], (2, 2, 2, 2), mode="reflect")[0, 0].int()

    def shifted(y, x):
        return padded[y : y + height, x : x + width]

    own = shifted(2, 2)
    pairs = [(shifted(y, x), shifted(4 - y, 4 - x)) for y, x in ((0, 2), (2, 0), (0, 0), (0, 4))]
    odd = torch.stack([(part - own).abs() > LIMIT for pair in pairs for part in pair]).all(0)
    bend = torch.stack([(2 * own - a - b).abs() for a, b in pairs])
    means = torch.stack([(a + b + 1) >> 1 for a, b in pairs])
    chosen = means.gather(0, bend.argmin(0, keepdim=True))[0]
    return torch.where(odd, chosen, own).to(torch.uint16)
