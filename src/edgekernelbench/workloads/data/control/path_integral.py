"""One step of path-integral control of a unicycle."""

import torch


def path_integral(noise, plan, start, goal, obstacle, *, DT, TEMP):
    """Roll all samples out at once: speeds and headings are running sums."""
    u = (plan + noise).clamp(-2, 2)
    x0, y0, heading0, speed0 = start
    speed = speed0 + DT * u[:, :, 0].cumsum(dim=1)
    heading = heading0 + DT * u[:, :, 1].cumsum(dim=1)
    x = x0 + DT * (speed * heading.cos()).cumsum(dim=1)
    y = y0 + DT * (speed * heading.sin()).cumsum(dim=1)
    place = torch.stack([x, y], dim=2)
    away = ((place - goal).square().sum(dim=2) + 1e-6).sqrt()
    gaps = (place[:, :, None] - obstacle).square().sum(dim=3)
    cost = (away + (1 / (gaps + 0.1)).sum(dim=2)).sum(dim=1)
    weight = torch.softmax(-cost / TEMP, dim=0)
    return torch.einsum("k,kti->ti", weight, u), cost
