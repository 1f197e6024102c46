"""EEGNet at inference, batch norms folded."""

import torch
import torch.nn.functional as F


def eegnet(x, wt, ws, bs, wd, wp, bp, wf, bf):
    """Class probabilities of one trial."""
    filters, depth, _ = ws.shape
    taps = wt.shape[1]
    left = (taps - 1) // 2
    padded = F.pad(x[None, None], (left, taps - 1 - left))
    h = F.conv2d(padded, wt[:, None, None])
    h = F.conv2d(h, ws.flatten(0, 1)[:, None, :, None], bs.flatten(), groups=filters)[:, :, 0]
    h = F.avg_pool1d(F.elu(h), 4)
    h = F.conv1d(F.pad(h, (7, 8)), wd.flatten(0, 1)[:, None], groups=filters * depth)
    h = F.avg_pool1d(F.elu(F.conv1d(h, wp.flatten(1)[:, :, None], bp)), 8)
    return torch.softmax(F.linear(h.flatten(), wf.flatten(1), bf), dim=0)
