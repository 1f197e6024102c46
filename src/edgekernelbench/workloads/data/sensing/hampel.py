"""Hampel outlier filter."""

import torch


def hampel(x, *, W, LIMIT):
    """Median and median deviation of every window."""
    windows = x.unfold(1, W, 1)
    centre = windows[:, :, W // 2]
    median = windows.median(dim=2).values
    deviation = (windows - median[:, :, None]).abs().median(dim=2).values
    return torch.where((centre - median).abs() > LIMIT * 1.4826 * deviation, median, centre)
