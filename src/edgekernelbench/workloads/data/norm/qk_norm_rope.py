"""Normalised heads with rotary position embedding."""

import torch
import torch.nn.functional as F


def qk_norm_rope(x, g, cs, sn, pos, *, EPS):
    """Normalise each head, rotate its halves."""
    y = F.rms_norm(x.float(), g.shape, g.float(), EPS)
    cos, sin = cs[pos.long()][:, None], sn[pos.long()][:, None]
    first, second = y.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).to(x.dtype)
