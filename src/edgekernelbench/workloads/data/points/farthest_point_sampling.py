"""Farthest point sampling of a point cloud."""

import torch


def farthest_point_sampling(p, *, S):
    """Indices of S points, each farthest from those before it; starts at point 0."""
    pick = torch.zeros(S, dtype=torch.int32)
    near = torch.full((len(p),), torch.inf)
    for s in range(1, S):
        offset = p - p[pick[s - 1].long()]
        near = torch.minimum(near, offset.square().sum(1))
        pick[s] = near.argmax()
    return pick
