"""Merge of a bracket of raw frames."""

import torch


def hdr_merge(raw, gain, *, BLACK):
    """Weighted mean of scaled frames."""
    code = raw.float()
    weight = 1 + torch.minimum(code, 4095 - code)
    linear = (code - BLACK).clamp(min=0) * gain[:, None, None]
    return (weight * linear).sum(0) / weight.sum(0)
