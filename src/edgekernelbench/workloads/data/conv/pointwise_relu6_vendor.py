"""1x1 convolution with bias and ReLU6, as shipped."""

import torch.nn.functional as F


def pointwise_relu6(x, w, b):
    """In float32 whatever is stored: a bias rounded to float16 is too coarse; the weights fold."""
    return F.relu6(F.conv2d(x[None].float(), w[:, :, None, None].float(), b))[0].to(x.dtype)
