"""Compressed interaction network."""

import torch


def compressed_interaction(x, w1, w2, wo):
    """Two layers of weighted outer products along fields, pooled over the embedding."""
    first = torch.einsum("hfg,bfd,bgd->bhd", w1, x, x)
    second = torch.einsum("hkg,bkd,bgd->bhd", w2, first, x)
    return torch.cat([first, second], dim=1).sum(-1) @ wo.flatten()
