"""Time-domain heart-rate variability."""

import torch


def rr_variability(rr):
    """Mean, SDNN, RMSSD and pNN50 of each window."""
    jumps = rr.diff(dim=1)
    rmssd = jumps.square().mean(dim=1).sqrt()
    large = 100 * (jumps.abs() > 50).float().mean(dim=1)
    return torch.stack([rr.mean(dim=1), rr.std(dim=1), rmssd, large], dim=1)
