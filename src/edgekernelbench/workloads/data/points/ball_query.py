"""Points within a radius."""

import torch


def ball_query(p, c, *, K, RADIUS):
    """First K indices within the radius, filled with the first."""
    points = len(p)
    inside = (c[:, None] - p).square().sum(dim=2) < RADIUS**2
    index = torch.where(inside, torch.arange(points), points)
    pick = index.topk(K, dim=1, largest=False, sorted=True).values
    first = torch.where(pick[:, :1] < points, pick[:, :1], 0)
    return torch.where(pick < points, pick, first).int()
