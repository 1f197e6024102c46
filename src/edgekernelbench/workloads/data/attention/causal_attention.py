"""Causal self-attention of a prompt."""

import torch.nn.functional as F


def causal_attention(q, k, v):
    """Attention with a causal mask; groups of query heads share a key head."""
    q, k, v = (x.transpose(0, 1)[None] for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)[0].transpose(0, 1)
