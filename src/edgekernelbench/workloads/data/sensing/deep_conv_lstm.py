"""DeepConvLSTM for wearable sensors, one recurrent layer."""

import torch
import torch.nn.functional as F


def deep_conv_lstm(x, w0, b0, wc, bc, wx, wh, b, wo, bo):
    """Convolutions along time, LSTM over what is left, class probabilities; sums in float32."""
    kept = x.dtype
    h = x.float()[None, None]
    for w, bias in [(w0[:, None], b0), *zip(wc, bc, strict=True)]:
        h = F.relu(F.conv2d(h, w.float()[..., None], bias)).to(kept).float()
    steps = h[0].transpose(0, 1).flatten(1)
    inputs = F.linear(steps, wx.flatten(2).flatten(0, 1).float(), b.flatten())
    weights, hidden = wh.flatten(0, 1).float(), wh.shape[1]
    state, cell = torch.zeros(hidden), torch.zeros(hidden)
    for step in inputs:
        i, f, g, o = (step + weights @ state).view(4, hidden)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        state = (torch.sigmoid(o) * torch.tanh(cell)).to(kept).float()
    return torch.softmax(F.linear(state, wo.float(), bo), dim=0).to(kept)
