"""Points projected into a distorted image."""

import torch


def project_to_image(p, r, t, focal, centre, k, *, NEAR):
    """Move, divide by depth, distort, scale."""
    q = torch.addmm(t, p, r.T)
    depth = q[:, 2]
    flat = q[:, :2] / depth.clamp(min=NEAR)[:, None]
    k1, k2, p1, p2, k3 = k
    r2 = flat.square().sum(dim=1, keepdim=True)
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    cross = 2 * flat.prod(dim=1, keepdim=True) * torch.stack([p1, p2])
    tangential = cross + (r2 + 2 * flat.square()) * torch.stack([p2, p1])
    pixel = (flat * radial + tangential) * focal + centre
    return torch.where(depth[:, None] < NEAR, -1.0, pixel), depth
