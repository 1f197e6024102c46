"""Upsampling stage of a neural vocoder."""

import torch.nn.functional as F


def upsample_block(x, wt, bt, w1, b1, w2, b2, *, S):
    """Transposed convolution, then a residual pair; sums in float32, activations in the type of x."""

    def leaky(h):
        return F.leaky_relu(h.float(), 0.1).to(x.dtype).float()

    h = F.conv_transpose1d(leaky(x), wt.float(), bt, stride=S, padding=S // 2).to(x.dtype)
    inner = leaky(F.conv1d(leaky(h), w1.float(), b1, padding=3, dilation=3))
    return (F.conv1d(inner, w2.float(), b2, padding=1) + h.float()).to(x.dtype)
