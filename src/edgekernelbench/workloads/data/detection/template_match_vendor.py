"""Normalised cross-correlation with a template: sums of bytes in float32, which holds them, the rest in float64."""

import torch
import torch.nn.functional as F


def template_match(img, tpl, *, EPS):
    """Covariance over the root of the product of the variances."""
    image, template = img.float()[None, None], tpl.float()[None, None]
    height, width = tpl.shape
    area = height * width

    def window(part):
        rows = F.avg_pool2d(part, (1, width), 1, divisor_override=1)
        return F.avg_pool2d(rows, (height, 1), 1, divisor_override=1).double() / area

    mean, centre = window(image), template.double().mean()
    variance = window(image.square()) - mean.square()
    spread = template.double().square().mean() - centre.square()
    covariance = F.conv2d(image, template).double() / area - mean * centre
    return (covariance * torch.rsqrt(variance * spread + EPS))[0, 0].float()
