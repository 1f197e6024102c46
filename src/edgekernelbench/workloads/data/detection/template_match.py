"""Normalised cross-correlation with a template."""

import torch
import torch.nn.functional as F


def template_match(img, tpl, *, EPS):
    """Covariance over the root of the product of the variances."""
    image, template = img.double()[None, None], tpl.double()
    area, size = template.numel(), template.shape
    mean = F.avg_pool2d(image, size, 1)
    variance = F.avg_pool2d(image.square(), size, 1) - mean.square()
    centred = template - template.mean()
    covariance = F.conv2d(image, centred[None, None] / area)
    out = covariance * torch.rsqrt(variance * centred.square().mean() + EPS)
    return out[0, 0].float()
