"""Inverted residual block with squeeze and excitation."""

import torch.nn.functional as F


def inverted_residual_se(x, we, be, wd, bd, w1, b1, w2, b2, wp, bp):
    """Expand, filter each channel, gate the channels, project, add."""
    expanded = F.relu(F.conv2d(x[None], we[:, :, None, None], be))
    filtered = F.relu(F.conv2d(expanded, wd[:, None], bd, padding=wd.shape[1] // 2, groups=len(be)))
    squeezed = F.relu(F.linear(filtered.mean((2, 3)), w1, b1))
    gate = F.hardsigmoid(F.linear(squeezed, w2, b2))
    return F.conv2d(filtered * gate[:, :, None, None], wp[:, :, None, None], bp)[0] + x
