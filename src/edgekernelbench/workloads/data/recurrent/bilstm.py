"""Bidirectional LSTM layer."""

import torch
import torch.nn.functional as F


def run(x, wx, wh, b):
    """One direction from rest; cells in float32, states in the type of x."""
    hidden = wh.shape[1]
    inputs = F.linear(x.float(), wx.flatten(0, 1).float(), b.flatten())
    weights = wh.flatten(0, 1).float()
    h, c = torch.zeros(hidden, dtype=x.dtype), torch.zeros(hidden)
    states = []
    for step in inputs:
        i, f, g, o = (step + weights @ h.float()).view(4, hidden)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = (torch.sigmoid(o) * torch.tanh(c)).to(x.dtype)
        states.append(h)
    return torch.stack(states)


def bilstm(x, wx, wh, b):
    """Both directions, side by side."""
    ahead = run(x, wx[0], wh[0], b[0])
    back = run(x.flip(0), wx[1], wh[1], b[1]).flip(0)
    return torch.cat([ahead, back], dim=1)
