"""Unitary Fourier transform of complex rows."""

import torch


def dft_complex(re, im):
    """Real and imaginary part of the transform of each row."""
    z = torch.fft.fft(torch.complex(re, im), norm="ortho")
    return z.real.contiguous(), z.imag.contiguous()
