"""Rotary embedding of a token and update of its key-value cache."""

import torch


def qkv_rope_cache(qkv, cs, sn, kc, vc, pos, *, HQ, HK):
    """Split, rotate, write the row at pos."""
    heads, values = qkv.split([HQ + HK, HK])
    at = int(pos)
    first, second = heads.float().chunk(2, dim=-1)
    cos, sin = cs[at], sn[at]
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).to(qkv.dtype)
    keys, cache = kc.clone(), vc.clone()
    keys[:, at], cache[:, at] = turned[HQ:], values
    return turned[:HQ].contiguous(), keys, cache
