"""Acquisition of a spreading code over Doppler and phase."""

import math

import torch


def satellite_acquisition(xi, xq, code, *, D, STEP):
    """Wipe the carrier off, correlate circularly by FFT in float64, sum the power over periods."""
    turn = 2 * math.pi * STEP * (torch.arange(D) - D // 2).double()[:, None] * torch.arange(len(xi))
    carrier = torch.complex((3 * turn.cos()).round(), -(3 * turn.sin()).round())
    wiped = (torch.complex(xi.double(), xq.double()) * carrier).view(D, -1, len(code))
    spectrum = torch.fft.fft(wiped) * torch.fft.fft(code.double()).conj()
    corr = torch.view_as_real(torch.fft.ifft(spectrum)).round().long()
    return corr.square().sum(dim=(1, 3))
