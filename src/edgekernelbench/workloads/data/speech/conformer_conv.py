"""Convolution module of the Conformer."""

import torch.nn.functional as F


def conformer_conv(x, g, n, w1, b1, wd, bd, w2, b2):
    """Norm, gated pointwise, depthwise over time, SiLU, pointwise, residual; sums in float32."""
    width, taps = wd.shape
    wide = x.float()
    norm = F.layer_norm(wide, (width,), g, n).to(x.dtype)
    gated = F.glu(F.linear(norm.float(), w1.flatten(0, 1).float(), b1.flatten())).to(x.dtype)
    spread = F.conv1d(gated.float().T, wd.float()[:, None], bd, padding=taps // 2, groups=width).T
    active = F.silu(spread).to(x.dtype)
    return (F.linear(active.float(), w2.float(), b2) + wide).to(x.dtype)
