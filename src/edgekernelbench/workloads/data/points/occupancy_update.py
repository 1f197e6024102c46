"""Occupancy grid update by one scan."""

import torch


def occupancy_update(map, hit, free, *, UP, DOWN, LIMIT):
    """Mark cells, then add the log-odds."""
    change = torch.zeros(len(map), dtype=torch.int)
    change[free.flatten().long()] = -DOWN
    change[hit.long()] = UP
    return (map + change).clamp(-LIMIT, LIMIT).to(torch.int8)
