"""1x1 convolution with bias and ReLU6."""

import torch.nn.functional as F


def pointwise_relu6(x, w, b):
    """Mix channels, add the bias, clamp to 0..6."""
    return F.relu6(F.conv2d(x[None], w[:, :, None, None], b.to(x.dtype)))[0]
