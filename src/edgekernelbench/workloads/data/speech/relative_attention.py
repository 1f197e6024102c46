"""Self-attention with relative positions."""

import torch


def relative_attention(q, k, v, pos, bu, bv):
    """Content and position scores with the usual shift; sums in float32."""
    queries, frames = q.float(), q.shape[1]
    content = (queries + bu[:, None]) @ k.float().transpose(1, 2)
    position = (queries + bv[:, None]) @ pos.float().transpose(1, 2)
    row = torch.arange(frames)
    shifted = position.gather(2, (frames - 1 + row[:, None] - row).expand(len(q), -1, -1))
    weight = torch.softmax((content + shifted) * q.shape[2] ** -0.5, dim=2)
    return (weight @ v.float()).to(q.dtype)
