"""Power at the keypad frequencies."""

import math

import torch

TONES = [697.0, 770.0, 852.0, 941.0, 1209.0, 1336.0, 1477.0, 1633.0]


def goertzel(x, *, RATE):
    """Squared magnitude of the transform of each block at each tone, over the block's length."""
    samples = x.shape[1]
    phase = 2 * math.pi / RATE * torch.tensor(TONES)[:, None] * torch.arange(samples)
    return ((x @ phase.cos().T).square() + (x @ phase.sin().T).square()) / samples
