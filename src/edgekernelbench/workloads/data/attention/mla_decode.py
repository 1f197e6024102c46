"""Single-token latent attention, absorbed form."""

import torch


def mla_decode(ql, qr, lat, kr, wv, pos, *, SCALE):
    """Score against the compressed cache and the rotated keys, mix, unfold the values; in float32."""
    filled = int(pos) + 1
    latent = lat[:filled].float()
    score = ql.float() @ latent.T + qr.float() @ kr[:filled].float().T
    mixed = torch.softmax(score * SCALE, dim=-1) @ latent
    return torch.einsum("hc,hdc->hd", mixed, wv.float()).to(ql.dtype)
