"""Bilinear grid sampling."""

import torch.nn.functional as F


def grid_sample(x, flow):
    """Read x at the places that flow says."""
    grid = flow.permute(1, 2, 0)[None].float()
    return F.grid_sample(x[None].float(), grid, align_corners=False)[0].to(x.dtype)
