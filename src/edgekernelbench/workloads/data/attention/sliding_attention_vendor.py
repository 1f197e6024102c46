"""Sliding-window attention of a chunk of a prompt, as shipped."""

import torch
import torch.nn.functional as F


def sliding_attention(q, kc, vc, *, W):
    """Scores and sums in float32: PyTorch's kernel for narrow types rounds probabilities to them."""
    chunk, length = q.shape[0], kc.shape[1]
    ahead = torch.arange(length) - torch.arange(length - chunk, length)[:, None]
    mask = (ahead <= 0) & (ahead > -W)
    heads = F.scaled_dot_product_attention(
        q.float().transpose(0, 1)[None], kc.float()[None], vc.float()[None], attn_mask=mask, enable_gqa=True
    )
    return heads[0].transpose(0, 1).to(q.dtype)
