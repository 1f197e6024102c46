"""Largest logits by PyTorch's partial sort."""

import torch


def top_k_logits(z, *, K):
    """Partial sort; which of equals comes first is the library's choice."""
    value, token = torch.topk(z, K)
    return token.to(torch.int32), value
