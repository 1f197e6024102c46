"""Symmetric rank-k update of one triangle."""

import torch


def rank_k_update(a, c):
    """Subtract A A^T from the lower triangle."""
    return c - torch.tril(a @ a.T)
