"""Single-token attention against an 8-bit cache."""

import torch.nn.functional as F


def decode_attention_q8(q, kc, ks, vc, vs, pos):
    """Dequantise the filled positions, attend in float32."""
    filled = int(pos) + 1
    keys, values = (
        (codes[:, :filled].float() * scales[:, :filled, None].float())[None]
        for codes, scales in ((kc, ks), (vc, vs))
    )
    heads = F.scaled_dot_product_attention(q.float()[None, :, None], keys, values, enable_gqa=True)
    return heads[0, :, 0].to(q.dtype)
