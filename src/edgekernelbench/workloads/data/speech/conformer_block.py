"""Conformer block without relative positions."""

import torch.nn.functional as F


def conformer_block(x, wf, bf, wg, bg, wq, bq, wo, bo, w1, b1, wd, bd, w2, b2, g, n, *, A):
    """Two half feed-forward layers about attention and convolution; sums in float32."""
    frames, width = x.shape
    kept = x.dtype

    def norm(h, index):
        return F.layer_norm(h, (width,), g[index], n[index])

    def dense(h, w, b):
        return F.linear(h.to(kept).float(), w.float(), b)

    def feed_forward(h, layer, index):
        inner = F.silu(dense(norm(h, index), wf[layer], bf[layer]))
        return h + 0.5 * dense(inner, wg[layer], bg[layer])

    h = feed_forward(x.float(), 0, 0)
    joint = dense(norm(h, 1), wq.flatten(0, 1), bq.flatten()).to(kept).float()
    q, k, v = joint.view(frames, 3, A, -1).permute(1, 2, 0, 3)
    mixed = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    h = h + dense(mixed.transpose(0, 1).reshape(frames, width), wo, bo)
    gated = F.glu(dense(norm(h, 2), w1.flatten(0, 1), b1.flatten())).to(kept).float()
    spread = F.conv1d(gated.T, wd.float()[:, None], bd, padding=wd.shape[1] // 2, groups=width).T
    h = h + dense(F.silu(spread), w2, b2)
    return norm(feed_forward(h, 1, 3), 4).to(kept)
