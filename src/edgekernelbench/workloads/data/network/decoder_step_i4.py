"""Decoder layer of a small language model with 4-bit weights, one token."""

import torch
import torch.nn.functional as F


def decoder_step_i4(x, g1, wqkv, sqkv, cs, sn, kc, vc, wo, so, g2, wgu, sgu, wd, sd, pos, *, HQ, HK, EPS):
    """Dequantise the matrices, then attention over the cache and this token, and the gated MLP."""

    def dequantise(codes, scales):
        groups = codes.float().unflatten(-1, (scales.shape[-1], -1))
        return (groups * scales.float()[..., None]).flatten(-2)

    at = int(pos)
    heads = dequantise(wqkv, sqkv) @ F.rms_norm(x, g1.shape, g1, EPS)
    first, second = heads[: HQ + HK].chunk(2, dim=-1)
    turned = torch.cat([first * cs[at] - second * sn[at], second * cs[at] + first * sn[at]], dim=-1)
    knew, vnew = turned[HQ:].half(), heads[HQ + HK :].half()
    keys = torch.cat([kc[:, :at], knew[:, None]], dim=1).float()
    values = torch.cat([vc[:, :at], vnew[:, None]], dim=1).float()
    mix = F.scaled_dot_product_attention(turned[None, :HQ, None], keys[None], values[None], enable_gqa=True)
    mid = x + dequantise(wo, so) @ mix.flatten()
    gate, up = dequantise(wgu, sgu) @ F.rms_norm(mid, g2.shape, g2, EPS)
    return mid + dequantise(wd, sd) @ (F.silu(gate) * up), knew, vnew
