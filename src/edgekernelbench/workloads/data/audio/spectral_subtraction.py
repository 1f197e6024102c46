"""Spectral subtraction with minimum statistics."""

import torch
import torch.nn.functional as F


def spectral_subtraction(zr, zi, *, D, OVER, BIAS, FLOOR):
    """Track the minimum of the smoothed power, subtract it, keep a floor."""
    power = zr.square() + zi.square()
    smooth = [power[0]]
    for frame in power[1:]:
        smooth.append(0.7 * smooth[-1] + 0.3 * frame)
    smooth = torch.stack(smooth, dim=1)
    noise = -F.max_pool1d(F.pad(-smooth[None], (D - 1, 0), mode="replicate"), D, stride=1)[0].T
    gain = (1 - OVER * BIAS * noise / (power + 1e-9)).clamp(min=FLOOR**2).sqrt()
    return zr * gain, zi * gain
