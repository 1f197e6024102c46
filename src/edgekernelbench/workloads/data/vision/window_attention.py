"""Shifted-window attention."""

import torch
import torch.nn.functional as F


def window_attention(x, wq, bq, rel, wo, bo, *, A, SHIFT):
    """Roll, cut into windows of 7 by 7, attend with bias and mask, put back."""
    height, width, features = x.shape

    def windows(image):
        cut = image.unflatten(0, (-1, 7)).unflatten(2, (-1, 7)).transpose(1, 2)
        return cut.flatten(2, 3).flatten(0, 1)

    rolled = torch.roll(x, (-SHIFT, -SHIFT), (0, 1)).float()
    tokens = windows(rolled)
    qkv = torch.einsum("wtk,pdk->pwtd", tokens, wq.float()) + bq[:, None, None]
    q, k, v = qkv.to(x.dtype).float().unflatten(3, (A, -1)).transpose(2, 3)
    row, column = torch.arange(49) // 7, torch.arange(49) % 7
    bias = rel[:, row[:, None] - row + 6, column[:, None] - column + 6]
    region = torch.zeros(height, width)
    if SHIFT:
        region[height - 7 :] += 1
        region[height - SHIFT :] += 1
        region[:, width - 7 :] += 3
        region[:, width - SHIFT :] += 3
    label = windows(region[:, :, None])[:, :, 0]
    apart = (label[:, :, None] != label[:, None])[:, None]
    mask = bias.expand(len(tokens), -1, -1, -1).masked_fill(apart, -torch.inf)
    head = (
        F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2).to(x.dtype).float()
    )
    out = F.linear(head, wo.float(), bo)
    image = out.unflatten(1, (7, 7)).unflatten(0, (height // 7, width // 7)).transpose(1, 2)
    image = image.reshape(height, width, features)
    return torch.roll(image, (SHIFT, SHIFT), (0, 1)).to(x.dtype)
