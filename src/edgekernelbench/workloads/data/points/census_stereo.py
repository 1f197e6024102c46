"""Stereo by census transform and window sums."""

import torch
import torch.nn.functional as F


def census(image):
    """Bits of the 5x5 neighbourhood that are darker than the centre, one plane a bit."""
    wide = image.float()
    shifted = F.unfold(F.pad(wide[None, None], (2, 2, 2, 2), mode="replicate"), 5)[0]
    return shifted.view(25, *image.shape) < wide


def census_stereo(left, right, *, D):
    """Hamming distances at every disparity, window sums, least."""
    one, other = census(left), census(right)
    width = left.shape[1]
    place = (torch.arange(width) - torch.arange(D)[:, None]).clamp(min=0)
    distance = (one[:, :, None] ^ other[:, :, place]).sum(dim=0).permute(1, 0, 2).float()
    total = 25 * F.avg_pool2d(F.pad(distance[:, None], (2, 2, 2, 2), mode="replicate"), 5, stride=1)[:, 0]
    total = total.round().int()
    return total.argmin(dim=0).int(), total.amin(dim=0)
