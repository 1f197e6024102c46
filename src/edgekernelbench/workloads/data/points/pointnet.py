"""PointNet classifier, vanilla."""

import torch.nn.functional as F


def pointnet(p, w1, b1, w2, b2, w3, b3, w4, b4, w5, b5, w6, b6):
    """Scores of one cloud; sums in float32, activations in the type of p."""

    def dense(h, w, b):
        return F.relu(F.linear(h.float(), w.float(), b)).to(p.dtype)

    h = dense(dense(dense(p, w1, b1), w2, b2), w3, b3).amax(dim=0)
    h = dense(dense(h, w4, b4), w5, b5)
    return F.linear(h.float(), w6.float(), b6).to(p.dtype)
