"""Conditionally parameterised 1x1 convolution."""

import torch
import torch.nn.functional as F


def cond_conv2d(x, wr, br, w, b):
    """Route by the mean of each channel, mix the experts' weights, then convolve once."""
    image = x.float()
    route = torch.sigmoid(F.linear(image.mean((1, 2)), wr, br))
    mixed = torch.einsum("e,ekc->kc", route, w.float())
    return F.relu(F.conv2d(image[None], mixed[:, :, None, None], b))[0].to(x.dtype)
