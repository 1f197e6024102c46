"""Harris corner response."""

import torch
import torch.nn.functional as F


def harris_response(img, *, K):
    """Determinant minus K times squared trace of the structure tensor."""
    smooth, slope = torch.tensor([1.0, 2.0, 1.0]), torch.tensor([-1.0, 0.0, 1.0])
    taps = torch.stack([torch.outer(smooth, slope), torch.outer(slope, smooth)])[:, None] / 4
    padded = F.pad(img.float()[None, None] / 255, (1, 1, 1, 1), mode="replicate")
    gx, gy = F.conv2d(padded, taps)[0]
    parts = F.pad(torch.stack([gx * gx, gx * gy, gy * gy])[None], (2, 2, 2, 2), mode="replicate")
    xx, xy, yy = F.avg_pool2d(parts, 5, 1, divisor_override=1)[0]
    return xx * yy - xy.square() - K * (xx + yy).square()
