"""Self-attention with bucketed relative position biases."""

import torch
import torch.nn.functional as F


def bucket_bias_attention(q, k, v, bias, bucket, keep):
    """Attention with the bias of each distance's bucket as additive mask."""
    tokens = torch.arange(q.shape[1])
    table = bias[bucket.long()[tokens - tokens[:, None] + q.shape[1] - 1]].permute(2, 0, 1)
    mask = table.masked_fill(keep == 0, -1e9)
    return F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=mask[None], scale=1.0)[0]
