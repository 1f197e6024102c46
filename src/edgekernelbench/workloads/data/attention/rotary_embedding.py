"""Rotary position embedding."""

import torch


def rotary_embedding(x, cs, sn, pos):
    """Turn the pairs (d, d + D / 2) of every head by the angle of the token's position."""
    cos, sin = cs[pos.long()][:, None], sn[pos.long()][:, None]
    first, second = x.float().chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).to(x.dtype)
