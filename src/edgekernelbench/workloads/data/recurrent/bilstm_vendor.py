"""Bidirectional recurrent layer by PyTorch's operator."""

import torch


def bilstm(x, wx, wh, b):
    """Weights and states in float32: rounding each state to a narrow type would need a loop."""
    hidden = wh.shape[3]
    weights = []
    for inputs, recurrent, bias in zip(wx, wh, b):
        weights += [inputs.flatten(0, 1).float(), recurrent.flatten(0, 1).float(), bias.flatten()]
        weights.append(torch.zeros_like(bias).flatten())
    start = torch.zeros(2, 1, hidden)
    out, _, _ = torch.lstm(x.float()[:, None], (start, start), weights, True, 1, 0.0, False, True, False)
    return out[:, 0].to(x.dtype)
