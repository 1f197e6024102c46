"""Sliding-window attention of a chunk of a prompt."""

import torch
import torch.nn.functional as F


def sliding_attention(q, kc, vc, *, W):
    """Attention to the last W positions up to each token."""
    chunk, length = q.shape[0], kc.shape[1]
    ahead = torch.arange(length) - torch.arange(length - chunk, length)[:, None]
    mask = (ahead <= 0) & (ahead > -W)
    heads = F.scaled_dot_product_attention(
        q.transpose(0, 1)[None], kc[None], vc[None], attn_mask=mask, enable_gqa=True
    )
    return heads[0].transpose(0, 1)
