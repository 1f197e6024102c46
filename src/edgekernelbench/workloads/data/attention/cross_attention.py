"""Cross-attention of a decoder, keys and values cached."""

import torch.nn.functional as F


def cross_attention(x, wq, bq, kc, vc, wo, bo):
    """Project, attend to the encoded input, project."""
    beams = len(x)
    q = F.linear(x, wq, bq).view(beams, len(kc), -1).transpose(0, 1)
    heads = F.scaled_dot_product_attention(q[None], kc[None], vc[None])[0]
    return F.linear(heads.transpose(0, 1).reshape(beams, -1), wo, bo)
