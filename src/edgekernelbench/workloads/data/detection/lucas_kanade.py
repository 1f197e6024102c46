"""One Lucas-Kanade step for every pixel."""

import torch
import torch.nn.functional as F


def lucas_kanade(prev, cur, *, R, EPS):
    """Solve the 2x2 normal equations of each window."""
    first, second = prev.float() / 255, cur.float() / 255
    padded = F.pad(first[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
    gx = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    gy = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
    gt = second - first
    parts = torch.stack([gx * gx, gx * gy, gy * gy, gx * gt, gy * gt])
    padded = F.pad(parts[None], (R, R, R, R), mode="replicate")
    xx, xy, yy, xt, yt = F.avg_pool2d(padded, 2 * R + 1, 1, divisor_override=1)[0]
    xx, yy = xx + EPS, yy + EPS
    return torch.stack([xy * yt - yy * xt, xy * xt - xx * yt]) / (xx * yy - xy.square())
