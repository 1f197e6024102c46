"""Involution: filters made from the pixel that they are applied to."""

import torch.nn.functional as F


def involution(x, wr, br, ws, bs):
    """Make a 7x7 filter a pixel and group, apply it to that pixel's neighbourhood."""
    channels, height, width = x.shape
    groups = ws.shape[0]
    kernel = F.relu(F.conv2d(x[None], wr[:, :, None, None], br.to(x.dtype)))
    kernel = F.conv2d(kernel, ws.flatten(0, 2)[:, :, None, None], bs.flatten().to(x.dtype))
    kernel = kernel.view(groups, 1, 49, height, width).float()
    near = F.unfold(x[None].float(), 7, padding=3).view(groups, channels // groups, 49, height, width)
    return (kernel * near).sum(2).view_as(x).to(x.dtype)
