"""Next item of a session by self-attention."""

import torch.nn.functional as F


def session_block(items, table, places, wq, g1, n1, w1, b1, w2, b2, g2, n2, g3, n3, cand):
    """Embed, attend from the last item, feed forward, score the candidates."""
    x = F.embedding(items, table) * table.shape[1] ** 0.5 + places
    last = F.layer_norm(x[-1:], g1.shape, g1, n1, 1e-8)
    q, k, v = last @ wq[0].T, x @ wq[1].T, x @ wq[2].T
    y = last + F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    y = F.layer_norm(y, g2.shape, g2, n2, 1e-8)
    y = y + F.linear(F.relu(F.linear(y, w1, b1)), w2, b2)
    y = F.layer_norm(y, g3.shape, g3, n3, 1e-8)
    return F.embedding(cand, table) @ y[0]
