"""Random-convolution features, shares of positive values."""

import torch
import torch.nn.functional as F


def minirocket(x, w, bias):
    """One dilated convolution for each dilation."""
    shares = []
    for level, bar in enumerate(bias.unbind(dim=1)):
        dilation = 2**level
        response = F.conv1d(x[:, None], w[:, None], padding=4 * dilation, dilation=dilation)
        shares.append((response > bar[:, None]).float().mean(dim=2))
    return torch.stack(shares, dim=2)
