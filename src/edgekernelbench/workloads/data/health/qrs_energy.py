"""Integer filters of the Pan-Tompkins QRS detector."""

import torch
import torch.nn.functional as F

# The low-pass recurrence is a sum of six over a sum of six.
LOW_PASS = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]


def fir(x, taps):
    """Filter along time with zeros before the start; float64 is exact here."""
    kernel = torch.tensor(taps, dtype=torch.float64).flip(0)[None, None]
    return F.conv1d(F.pad(x.double()[:, None], (len(taps) - 1, 0)), kernel)[:, 0].long()


def qrs_energy(x, *, W):
    """Band-pass, derivative, square, mean over W samples."""
    low = fir(x, LOW_PASS)
    high = fir(low, [0] * 16 + [1]) - (fir(low, [1] * 32) >> 5)
    slope = fir(high, [2, 1, 0, -1, -2]) >> 3
    return fir(slope * slope, [1] * W) // W
