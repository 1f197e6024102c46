"""Statistics of groups of rows."""

import torch


def group_statistics(x, group, *, G):
    """Scatter rows into their groups."""
    index = group.long()[:, None].expand(-1, x.shape[1])
    empty = torch.zeros(G, x.shape[1])
    count = torch.bincount(group.long(), minlength=G)
    mean = empty.scatter_reduce(0, index, x, "mean", include_self=False)
    low = empty.scatter_reduce(0, index, x, "amin", include_self=False)
    high = empty.scatter_reduce(0, index, x, "amax", include_self=False)
    return count.int(), mean, low, high
