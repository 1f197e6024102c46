"""Linear prediction of frames."""

import torch
import torch.nn.functional as F


def linear_prediction(x, win, *, P, NOISE, FLOOR):
    """Autocorrelation of each windowed frame, then its Toeplitz system solved directly in double precision."""
    y = (x * win).double()
    shifted = F.pad(y, (0, P)).unfold(1, y.shape[1], 1)
    r = torch.einsum("fn,fln->fl", y, shifted)
    r[:, 0] = r[:, 0] * (1 + NOISE) + FLOOR
    lag = (torch.arange(P)[:, None] - torch.arange(P)).abs()
    taps = torch.linalg.solve(r[:, lag], -r[:, 1:, None])[:, :, 0]
    out = torch.cat([torch.ones(len(r), 1, dtype=r.dtype), taps], dim=1)
    return out.float(), (out * r).sum(1).float()
