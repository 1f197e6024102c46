"""Common spatial patterns with a linear classifier."""

import torch


def spatial_patterns(x, w, a, bias):
    """Filter, relative power in logarithms, classify."""
    power = (w @ x).square().sum(dim=2)
    features = torch.log(power / power.sum(dim=1, keepdim=True))
    return torch.addmm(bias, features, a.T)
