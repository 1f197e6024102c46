"""Fixed-point matrix product."""

import torch


def matmul_q15(a, b):
    """Multiply exactly, shift, saturate."""
    # Double precision holds sums of up to 2 ** 22 products of 31 bits.
    acc = (a.double() @ b.double()).long()
    return (acc >> 15).clamp(-32768, 32767).to(torch.int16)
