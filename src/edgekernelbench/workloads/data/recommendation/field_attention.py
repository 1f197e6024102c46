"""Interacting layer of AutoInt."""

import torch
import torch.nn.functional as F


def field_attention(x, wq, wk, wv, wr):
    """Attention among fields, plus the projected input, rectified."""
    q, k, v = (torch.einsum("bfd,and->bafn", x, w) for w in (wq, wk, wv))
    mixed = F.scaled_dot_product_attention(q, k, v, scale=1.0).transpose(1, 2)
    return F.relu(mixed + torch.einsum("bfd,and->bfan", x, wr))
