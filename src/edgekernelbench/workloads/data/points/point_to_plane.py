"""Normal equations of point-to-plane registration."""

import torch


def point_to_plane(p, q, normal, match, *, REACH):
    """Jacobian rows of all pairs that are near enough, then products."""
    index = match.long()
    gap, direction = q[index] - p, normal[index]
    rows = torch.cat([torch.linalg.cross(p, direction), direction], dim=1)
    rows = rows * (gap.square().sum(dim=1, keepdim=True) <= REACH**2)
    return rows.T @ rows, rows.T @ (gap * direction).sum(dim=1)
