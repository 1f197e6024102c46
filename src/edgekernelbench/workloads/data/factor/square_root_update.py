"""Measurement update of square-root information filters."""

import torch


def square_root_update(r0, y0, a, y):
    """QR of the prior factor stacked on the measurements; the right side in the same basis."""
    q, r = torch.linalg.qr(torch.cat([r0.mT, a], dim=1))
    sign = torch.where(r.diagonal(dim1=1, dim2=2) >= 0, 1.0, -1.0)
    z = (q.mT @ torch.cat([y0, y], dim=1)[:, :, None])[:, :, 0]
    return r * sign[:, :, None], z * sign
