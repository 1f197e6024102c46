"""Causal linear attention."""

import torch
import torch.nn.functional as F


def linear_attention(q, k, v):
    """The masked product form, whose weights sum to one."""
    fq, fk = F.elu(q) + 1, F.elu(k) + 1
    weights = torch.tril(torch.einsum("ihd,thd->hit", fq, fk))
    weights = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("hit,the->ihe", weights, v)
