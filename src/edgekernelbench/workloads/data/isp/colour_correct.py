"""White balance, colour matrix and tone curve, in integers."""

import torch


def colour_correct(rgb, gain, matrix, tone, *, BLACK):
    """From linear 12-bit planes to 8-bit planes."""
    linear = (rgb.to(torch.int32) - BLACK).clamp(min=0)
    balanced = ((linear * gain[:, None, None] + 512) >> 10).clamp(0, 4095)
    mixed = sum(matrix[:, d, None, None] * balanced[d] for d in range(3))
    return tone[((mixed + 512) >> 10).clamp(0, 4095).long()]
