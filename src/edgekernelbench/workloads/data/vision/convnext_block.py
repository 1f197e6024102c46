"""ConvNeXt block."""

import torch.nn.functional as F


def convnext_block(x, wd, bd, g, n, w1, b1, w2, b2, gamma, *, EPS):
    """Large-window depthwise filter and an inverted bottleneck, channels last inside."""
    h = F.conv2d(x[None].float(), wd[:, None].float(), bd, padding=3, groups=len(wd))[0].permute(1, 2, 0)
    h = F.layer_norm(h, (len(wd),), g, n, EPS).to(x.dtype).float()
    h = F.gelu(F.linear(h, w1.float(), b1)).to(x.dtype).float()
    h = F.linear(h, w2.float(), b2) * gamma
    return (x.float() + h.permute(2, 0, 1)).to(x.dtype)
