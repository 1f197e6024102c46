"""Single-token attention against a key-value cache."""

import torch.nn.functional as F


def decode_attention(q, kc, vc, pos):
    """Attend to the filled positions 0 to pos; groups of query heads share a key head."""
    filled = int(pos) + 1
    keys, values = kc[None, :, :filled], vc[None, :, :filled]
    return F.scaled_dot_product_attention(q[None, :, None], keys, values, enable_gqa=True)[0, :, 0]
