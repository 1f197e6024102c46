"""Post-norm transformer encoder layer with a padding mask."""

import torch
import torch.nn.functional as F


def bert_layer(x, keep, wq, bq, wo, bo, g1, n1, w1, b1, w2, b2, g2, n2, *, A, EPS):
    """Masked self-attention and a GELU MLP, normalised after each residual addition."""
    tokens, width = x.shape
    q, k, v = (F.linear(x, w, b).view(tokens, A, -1).transpose(0, 1)[None] for w, b in zip(wq, bq))
    mask = torch.zeros(tokens).masked_fill(keep == 0, -1e9).expand(tokens, tokens)
    heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)[0].transpose(0, 1).reshape(tokens, width)
    y = F.layer_norm(x + F.linear(heads, wo, bo), g1.shape, g1, n1, EPS)
    return F.layer_norm(y + F.linear(F.gelu(F.linear(y, w1, b1)), w2, b2), g2.shape, g2, n2, EPS)
