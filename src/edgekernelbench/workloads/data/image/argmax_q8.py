"""Coloured class map of quantised logits."""

import torch
import torch.nn.functional as F


def argmax_q8(logit, palette, *, R):
    """Enlarge, choose, colour; sums of int8 by these weights are exact in float64."""
    big = F.interpolate(logit[None].double(), scale_factor=R, mode="bilinear", align_corners=False)[0]
    codes = torch.round(big * (4 * R * R)).long()
    first = (codes * len(codes) - torch.arange(len(codes))[:, None, None]).argmax(0)
    return palette[first]
