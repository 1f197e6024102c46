"""DeepConvLSTM for wearable sensors as shipped: the recurrent layer is the library's."""

import torch
import torch.nn.functional as F


def deep_conv_lstm(x, w0, b0, wc, bc, wx, wh, b, wo, bo):
    """Convolutions along time, LSTM over what is left, class probabilities; recurrent state in float32."""
    h = x.float()[None, None]
    for w, bias in [(w0[:, None], b0), *zip(wc, bc, strict=True)]:
        h = F.relu(F.conv2d(h, w.float()[..., None], bias)).to(x.dtype).float()
    hidden = wh.shape[1]
    weights = [
        wx.reshape(4 * hidden, -1).float(),
        wh.reshape(-1, hidden).float(),
        b.flatten(),
        torch.zeros(4 * hidden),
    ]
    rest = torch.zeros(1, 1, hidden)
    states, _, _ = torch.lstm(
        h[0].transpose(0, 1).flatten(1)[:, None], (rest, rest), weights, True, 1, 0.0, False, False, False
    )
    return torch.softmax(F.linear(states[-1, 0], wo.float(), bo), dim=0).to(x.dtype)
