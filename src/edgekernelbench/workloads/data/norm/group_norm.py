"""Group normalisation followed by SiLU."""

import torch.nn.functional as F


def group_norm(x, g, b, *, G, EPS):
    """Normalise G groups of channels, scale by g, shift by b, apply SiLU."""
    return F.silu(F.group_norm(x[None], G, g, b, EPS))[0]
