"""Max-log soft demapper of square QAM."""

import torch


def qam_demap(y, gain, level, *, BITS):
    """Distances to all levels, nearest with a one minus nearest with a zero."""
    dist = (y.float()[:, :, None] - level).square()[:, :, None]
    label = torch.arange(len(level))
    label = label ^ (label >> 1)
    bit = (label >> torch.arange(BITS)[:, None]) & 1 == 1
    far = torch.tensor(torch.inf)
    one = torch.where(bit, dist, far).amin(dim=3)
    zero = torch.where(bit, far, dist).amin(dim=3)
    return ((one - zero) * gain[:, None, None]).to(y.dtype)
