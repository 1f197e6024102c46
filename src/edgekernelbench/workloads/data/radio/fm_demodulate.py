"""FM discriminator and de-emphasis."""

import torch
import torch.nn.functional as F


def fm_demodulate(re, im, *, GAIN, A):
    """Angle between neighbouring samples, then a one-pole low-pass."""
    z = torch.complex(re, im)
    freq = GAIN * F.pad((z[:, 1:] * z[:, :-1].conj()).angle(), (1, 0))
    level, samples = torch.zeros_like(freq[:, 0]), []
    for value in freq.unbind(dim=1):
        level = A * level + (1 - A) * value
        samples.append(level)
    return torch.stack(samples, dim=1)
