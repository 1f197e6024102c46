"""Normalisation and first convolution of a mobile network."""

import torch.nn.functional as F


def stem_u8(img, mean, scale, w, b):
    """Bytes, channels last, to K feature maps of half the size."""
    image = ((img.float() - mean) * scale).permute(2, 0, 1).to(w.dtype).float()
    acc = F.conv2d(F.pad(image, (0, 1, 0, 1))[None], w.float(), b, stride=2)[0]
    return F.hardswish(acc).to(w.dtype)
