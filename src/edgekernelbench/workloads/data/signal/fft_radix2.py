"""Fast Fourier transform of complex rows."""

import torch


def fft_radix2(re, im):
    """Transform along the last axis."""
    z = torch.fft.fft(torch.complex(re, im))
    return z.real, z.imag
