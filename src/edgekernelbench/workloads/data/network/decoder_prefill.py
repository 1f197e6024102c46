"""Decoder layer of a small language model, a whole prompt."""

import torch
import torch.nn.functional as F


def decoder_prefill(x, g1, wqkv, cs, sn, wo, g2, wg, wu, wd, *, HQ, HK, EPS):
    """Causal attention and the gated MLP; returns the tokens, keys and values."""
    tokens, width = x.shape
    heads = F.linear(F.rms_norm(x, g1.shape, g1, EPS), wqkv.flatten(0, 1)).view(tokens, 2 * HK + HQ, -1)
    first, second = heads[:, : HQ + HK].float().chunk(2, dim=-1)
    cos, sin = cs[:, None], sn[:, None]
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).to(x.dtype)
    q, keys, values = (part.transpose(0, 1) for part in (turned[:, :HQ], turned[:, HQ:], heads[:, HQ + HK :]))
    mix = F.scaled_dot_product_attention(q[None], keys[None], values[None], is_causal=True, enable_gqa=True)
    mid = x + F.linear(mix[0].transpose(0, 1).reshape(tokens, -1), wo.flatten(1))
    z = F.rms_norm(mid, g2.shape, g2, EPS)
    out = mid + F.linear(F.silu(F.linear(z, wg)) * F.linear(z, wu), wd)
    return out, keys.contiguous(), values.contiguous()
