"""Canny edge detection up to the two thresholds."""

import torch
import torch.nn.functional as F


def canny_edges(img, *, LOW, HIGH):
    """Label thinned edges as weak or strong."""
    smooth, slope = torch.tensor([1.0, 2.0, 1.0]), torch.tensor([-1.0, 0.0, 1.0])
    taps = torch.stack([torch.outer(smooth, slope), torch.outer(slope, smooth)])[:, None]
    padded = F.pad(img.float()[None, None], (1, 1, 1, 1), mode="replicate")
    gx, gy = F.conv2d(padded, taps)[0].long()
    across, down = gx.abs(), gy.abs()
    height, width = img.shape
    ring = F.pad(across + down, (1, 1, 1, 1))
    own = ring[1:-1, 1:-1]

    def near(y, x):
        return ring[1 + y : 1 + y + height, 1 + x : 1 + x + width]

    flat = down * 256 < across * 106
    steep = down * 256 > across * (106 + 2 * 256)
    same = (gx < 0) == (gy < 0)
    diagonal = torch.where(
        same,
        (own > near(-1, -1)) & (own > near(1, 1)),
        (own > near(-1, 1)) & (own > near(1, -1)),
    )
    vertical = (own > near(-1, 0)) & (own >= near(1, 0))
    horizontal = (own > near(0, -1)) & (own >= near(0, 1))
    peak = torch.where(flat, horizontal, torch.where(steep, vertical, diagonal)) & (own > LOW)
    return (peak.to(torch.uint8) + (peak & (own > HIGH))).to(torch.uint8)
