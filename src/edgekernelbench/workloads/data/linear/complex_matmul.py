"""Batched complex matrix product on split parts."""

import torch


def complex_matmul(ar, ai, br, bi):
    """Multiply as complex matrices."""
    c = torch.complex(ar, ai) @ torch.complex(br, bi)
    return c.real, c.imag
