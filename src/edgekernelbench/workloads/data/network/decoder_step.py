"""Decoder layer of a small language model, one token."""

import torch
import torch.nn.functional as F


def decoder_step(x, g1, wqkv, cs, sn, kc, vc, wo, g2, wg, wu, wd, pos, *, HQ, HK, EPS):
    """Attention over the cache and this token, then the gated MLP; in float32, new cache rows rounded."""
    at, kind = int(pos), x.dtype
    x, g1, wqkv, kc, vc, wo, g2, wg, wu, wd = (
        tensor.float() for tensor in (x, g1, wqkv, kc, vc, wo, g2, wg, wu, wd)
    )
    heads = wqkv @ F.rms_norm(x, g1.shape, g1, EPS)
    first, second = heads[: HQ + HK].chunk(2, dim=-1)
    turned = torch.cat([first * cs[at] - second * sn[at], second * cs[at] + first * sn[at]], dim=-1)
    knew, vnew = turned[HQ:].to(kind), heads[HQ + HK :].to(kind)
    keys = torch.cat([kc[:, :at], knew.float()[:, None]], dim=1)
    values = torch.cat([vc[:, :at], vnew.float()[:, None]], dim=1)
    mix = F.scaled_dot_product_attention(turned[None, :HQ, None], keys[None], values[None], enable_gqa=True)
    mid = x + wo.flatten(1) @ mix.flatten()
    z = F.rms_norm(mid, g2.shape, g2, EPS)
    return (mid + wd @ (F.silu(wg @ z) * (wu @ z))).to(kind), knew, vnew
