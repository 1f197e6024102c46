"""Factorisation machine over categorical fields."""

import torch


def factorisation_machine(ids, bias, w, v):
    """Click probability of each candidate."""
    ids = ids.long()
    factors = v[ids]
    pairs = factors.sum(1).square() - factors.square().sum(1)
    return torch.sigmoid(bias + w[ids].sum(1) + 0.5 * pairs.sum(1))
