"""Scatter pillar features to a canvas."""

import torch


def pillar_scatter(feat, cell, *, V):
    """Canvas of V cells, channels first; pillars of one cell add up."""
    canvas = torch.zeros(feat.shape[1], V)
    return canvas.index_add_(1, cell, feat.T)
