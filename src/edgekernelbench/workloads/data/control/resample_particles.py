"""Systematic resampling of particles."""

import torch


def resample_particles(state, weight, first):
    """Running sum of the weights, equal steps through it."""
    run = weight.long().cumsum(dim=0)
    count = len(state)
    marks = (run[-1] * (torch.arange(count) * 65536 + first)).div(count * 65536, rounding_mode="floor")
    pick = torch.searchsorted(run, marks, right=True).clamp(max=count - 1)
    return state[pick], pick.int()
