"""Semi-global matching along rows, both ways."""

import torch
import torch.nn.functional as F


def aggregate(costs, small, large):
    """Walk over columns; all rows and disparities at once."""
    path = costs[0]
    paths = [path]
    for cost in costs[1:]:
        best = path.amin(dim=1, keepdim=True)
        steps = F.pad(path, (1, 1), value=1_000_000) + small
        options = torch.stack([path, steps[:, :-2], steps[:, 2:], (best + large).expand_as(path)])
        path = cost - best + options.amin(dim=0)
        paths.append(path)
    return torch.stack(paths, dim=1)


def semi_global_matching(cost, *, P1, P2):
    """Sum of both directions, cheapest disparity."""
    columns = list(cost.int().unbind(dim=1))
    total = aggregate(columns, P1, P2) + aggregate(columns[::-1], P1, P2).flip(1)
    return total.argmin(dim=2).int(), total.amin(dim=2)
