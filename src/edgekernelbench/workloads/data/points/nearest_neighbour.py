"""Nearest neighbour between two point clouds."""

import torch


def nearest_neighbour(a, b):
    """Index of and squared distance to the closest point of b, for every point of a."""
    gap = (a[:, None] - b[None]).square().sum(-1)
    dist, best = gap.min(dim=1)
    return best.to(torch.int32), dist
