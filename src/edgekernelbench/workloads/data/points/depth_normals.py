"""Points and normals of a depth image."""

import torch
import torch.nn.functional as F


def depth_normals(depth, *, FX, FY, CX, CY):
    """Back-project, central differences, cross product, unit length."""
    z = depth.float() * 0.001
    height, width = z.shape
    x = z * (torch.arange(width) - CX) / FX
    y = z * (torch.arange(height)[:, None] - CY) / FY
    point = torch.stack([x, y, z], dim=2)
    along = point[1:-1, 2:] - point[1:-1, :-2]
    down = point[2:, 1:-1] - point[:-2, 1:-1]
    raw = torch.linalg.cross(down, along)
    known = z > 0
    ok = known[1:-1, 1:-1] & known[1:-1, 2:] & known[1:-1, :-2] & known[2:, 1:-1] & known[:-2, 1:-1]
    unit = raw * torch.rsqrt(raw.square().sum(dim=2, keepdim=True) + 1e-20)
    return point, F.pad(unit * ok[:, :, None], (0, 0, 1, 1, 1, 1))
