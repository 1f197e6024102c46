"""Distances to a goal by relaxation over a cost map."""

import torch
import torch.nn.functional as F

FAR = 10_000_000


def cost_to_go(terrain, row, col, *, SWEEPS):
    """Relax all cells against their eight neighbours, sweep by sweep."""
    toll = 4 + terrain.int()
    blocked = terrain >= 254
    height, width = terrain.shape
    dist = torch.full((height, width), FAR, dtype=torch.int)
    dist[row, col] = 0
    for _ in range(SWEEPS - 1):
        padded = F.pad(dist, (1, 1, 1, 1), value=FAR)
        shifts = {(i, j): padded[i : i + height, j : j + width] for i in range(3) for j in range(3)}
        straight = torch.stack([shifts[0, 1], shifts[1, 0], shifts[1, 2], shifts[2, 1]]).amin(dim=0)
        slant = torch.stack([shifts[0, 0], shifts[0, 2], shifts[2, 0], shifts[2, 2]]).amin(dim=0)
        dist = torch.minimum(straight + (10 * toll >> 2), slant + (14 * toll >> 2)).clamp(max=FAR)
        dist[blocked] = FAR
        dist[row, col] = 0
    return dist
