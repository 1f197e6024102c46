"""Two-sided CUSUM with restart."""

import torch


def cusum_alarm(x, target, *, SLACK, BAR):
    """Walk along time with all sensors side by side."""
    excess = torch.stack([x.int() - target[:, None], target[:, None].int() - x]) - SLACK
    total = torch.zeros_like(excess[:, :, 0])
    totals = []
    for step in excess.unbind(dim=2):
        total = (torch.where(total > BAR, 0, total) + step).clamp(min=0)
        totals.append(total)
    up, down = torch.stack(totals, dim=2)
    return ((up > BAR).int() + 2 * (down > BAR).int()).to(torch.uint8), up, down
