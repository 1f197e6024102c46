"""Largest logits."""

import torch


def top_k_logits(z, *, K):
    """Stable sort, so that the first of equals comes first."""
    value, token = torch.sort(z, descending=True, stable=True)
    return token[:K].to(torch.int32), value[:K]
