"""LSTM layer over one sequence."""

import torch


def lstm(x, wx, wh, b, h0, c0):
    """Run the layer; gates are input, forget, cell, output. Returns all hidden states and the last cell state."""
    hidden, features = wx.shape[1:]
    weights = [
        wx.reshape(4 * hidden, features),
        wh.reshape(4 * hidden, hidden),
        b.flatten(),
        torch.zeros_like(b).flatten(),
    ]
    out, _, cell = torch.lstm(
        x[:, None], (h0[None, None], c0[None, None]), weights, True, 1, 0.0, False, False, False
    )
    return out[:, 0], cell[0, 0]
