"""Field-aware factorisation machine."""

import torch


def field_aware_machine(ids, bias, w, v):
    """Linear part plus the products of every pair of fields."""
    fields = torch.arange(ids.shape[1])
    factors = v[fields, ids.long()]
    pairs = torch.triu((factors * factors.transpose(1, 2)).sum(-1), diagonal=1)
    return torch.sigmoid(bias + w[fields, ids.long()].sum(1) + pairs.sum((1, 2)))
