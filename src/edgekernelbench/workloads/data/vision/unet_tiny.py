"""U-Net of two levels."""

import torch
import torch.nn.functional as F


def unet_tiny(img, w0, b0, w1, b1, w2, b2, w3, b3, wu, bu, w4, b4, wm, bm):
    """Probability of foreground at each pixel."""

    def layer(x, w, b):
        return F.relu(F.conv2d(x, w, b.to(w.dtype), padding=1))

    skip = layer(layer(img[None, None], w0[:, None], b0), w1, b1)
    deep = layer(layer(F.max_pool2d(skip, 2), w2, b2), w3, b3)
    up = F.conv_transpose2d(deep, wu, bu.to(wu.dtype), stride=2)
    h = layer(torch.cat([skip, up], dim=1), w4, b4)
    return torch.sigmoid(F.conv2d(h, wm[None, :, None, None], bm.to(wm.dtype)))[0, 0]
