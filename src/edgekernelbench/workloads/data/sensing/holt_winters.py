"""Holt-Winters smoothing and forecast."""

import torch


def holt_winters(x, level0, trend0, season0, *, ALPHA, BETA, GAMMA, H):
    """Level, trend and additive season of all series side by side."""
    level, trend = level0, trend0
    season = list(season0.unbind(dim=1))
    period = len(season)
    for t, value in enumerate(x.unbind(dim=1)):
        before = level + trend
        old = season[t]
        new_level = torch.lerp(before, value - old, ALPHA)
        trend = torch.lerp(trend, new_level - level, BETA)
        season.append(torch.lerp(old, value - before, GAMMA))
        level = new_level
    ahead = torch.arange(1, H + 1)
    cycle = torch.stack(season[-period:], dim=1)
    return level[:, None] + ahead * trend[:, None] + cycle[:, (ahead - 1) % period]
