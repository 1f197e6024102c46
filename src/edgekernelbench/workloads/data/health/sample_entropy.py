"""Sample entropy."""

import torch


def sample_entropy(x, *, M, TOL):
    """Count alike runs of M and of M + 1 values."""
    runs = x.unfold(1, M + 1, 1)
    gap = (runs[:, :, None] - runs[:, None]).abs()
    upper = torch.ones(gap.shape[1:3], dtype=torch.bool).triu(1)
    short = (gap[..., :M].amax(dim=3) <= TOL) & upper
    both = short & (gap[..., M] <= TOL)
    pairs = torch.stack([short.sum(dim=(1, 2)), both.sum(dim=(1, 2))], dim=1).int()
    counts = torch.log((pairs + 1).float())
    return counts[:, 0] - counts[:, 1], pairs
