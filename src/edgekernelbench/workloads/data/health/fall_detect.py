"""Fall detection from acceleration."""

import torch


def fall_detect(x, *, N, LOW, HIGH, WAIT, CALM):
    """Free fall arms, an impact starts a watch, rest at its end is a fall."""
    x = x.long()
    people, _, steps = x.shape
    size = x.square().sum(dim=1)
    change = torch.zeros(people, steps, dtype=torch.long)
    change[:, 1:] = x.diff(dim=2).square().sum(dim=1)
    total = torch.cat([torch.zeros(people, N, dtype=torch.long), change.cumsum(dim=1)], dim=1)
    calm = (total[:, N:] - total[:, :-N]).div(N, rounding_mode="floor")
    time = torch.arange(steps)
    never = torch.tensor(-WAIT)
    last_free = torch.where(size < LOW, time, never).cummax(dim=1).values
    impact = (size > HIGH) & (time - last_free < WAIT)
    last_impact = torch.where(impact, time, never).cummax(dim=1).values
    event = (time - last_free < WAIT).int()
    event[time - last_impact < WAIT] = 2
    event[(time - last_impact == WAIT - 1) & (calm < CALM)] = 3
    return event.to(torch.uint8), calm
