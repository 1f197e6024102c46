"""Adaptive layer normalisation of a diffusion transformer."""

import torch.nn.functional as F


def adaptive_layer_norm(x, branch, c, wm, bm, *, EPS):
    """Project the condition to shift, scale and gate; add the gated branch; normalise and modulate."""
    parts = F.linear(F.silu(c.float()), wm.float().flatten(0, 1), bm.float().flatten())
    shift, scale, gate = parts.view(3, -1)
    stream = x.float() + gate * branch.float()
    out = F.layer_norm(stream, stream.shape[-1:], eps=EPS) * (1 + scale) + shift
    return out.to(x.dtype), stream.to(x.dtype)
