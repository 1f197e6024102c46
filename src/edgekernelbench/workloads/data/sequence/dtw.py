"""Dynamic time warping distance."""

import torch
import torch.nn.functional as F


def dtw(a, b):
    """Cost of the cheapest monotone path; worked along anti-diagonals, whose cells do not depend on each other."""
    n, m = len(a), len(b)
    cost = (a[:, None] - b[None]).square().sum(-1).sqrt()
    rows = torch.arange(n)
    last = torch.full((n + 1,), torch.inf)
    before = torch.full((n + 1,), torch.inf)
    before[0] = 0.0  # where the path starts
    for s in range(n + m - 1):
        columns = s - rows
        inside = (columns >= 0) & (columns < m)
        here = torch.where(inside, cost[rows, columns.clamp(0, m - 1)], torch.inf)
        step = torch.minimum(torch.minimum(last[:-1], last[1:]), before[:-1])
        before, last = last, F.pad(here + step, (1, 0), value=torch.inf)
    return last[n]
