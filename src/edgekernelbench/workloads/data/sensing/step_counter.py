"""Step counter in integers."""

import torch
import torch.nn.functional as F


def step_counter(x, *, N, H, SWING, REST):
    """Smooth the squared magnitude; count crossings of the middle of its range."""
    size = F.pad(x.double().square().sum(dim=2)[:, None], (N - 1, 0), mode="replicate")[:, 0]
    level = size.unfold(1, N, 1).sum(dim=2).long().div(N, rounding_mode="floor")
    recent = F.pad(level.double()[:, None], (H - 1, 0), mode="replicate")[:, 0].unfold(1, H, 1)
    top, low = recent.amax(dim=2).long(), recent.amin(dim=2).long()
    before = torch.cat([level[:, :1], level[:, :-1]], dim=1)
    up = (top - low >= SWING) & (2 * level > top + low) & (2 * before <= top + low)
    up[:, 0] = False
    rest = torch.zeros_like(level[:, 0])
    count, counts = torch.zeros_like(rest), []
    for crossing in up.unbind(dim=1):
        step = crossing & (rest == 0)
        rest = torch.where(step, REST, (rest - 1).clamp(min=0))
        count = count + step
        counts.append(count)
    return torch.stack(counts, dim=1).int()
