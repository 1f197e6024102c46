"""Pre-norm transformer encoder layer."""

import torch.nn.functional as F


def encoder_layer(x, g1, n1, wq, bq, wo, bo, g2, n2, w1, b1, w2, b2, *, A, EPS):
    """Self-attention of A heads and a GELU MLP, both residual."""
    tokens, width = x.shape
    normed = F.layer_norm(x, (width,), g1, n1, EPS)
    q, k, v = (
        F.linear(normed, wq.reshape(3 * width, width), bq.flatten())
        .view(tokens, 3, A, -1)
        .permute(1, 2, 0, 3)
    )
    heads = (
        F.scaled_dot_product_attention(q[None], k[None], v[None])[0].transpose(0, 1).reshape(tokens, width)
    )
    y = x + F.linear(heads, wo, bo)
    return y + F.linear(F.gelu(F.linear(F.layer_norm(y, (width,), g2, n2, EPS), w1, b1)), w2, b2)
