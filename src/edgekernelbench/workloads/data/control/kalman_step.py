"""One step of many linear Kalman filters."""

import torch


def kalman_step(x, p, z, f, q, h, r):
    """Predict, then update with all measurements at once; returns states and covariances."""
    x = x @ f.T
    p = f @ p @ f.T + torch.diag(q)
    ph = p @ h.T
    innovation = h @ ph + torch.diag(r)
    gain = torch.linalg.solve(innovation, ph.transpose(1, 2)).transpose(1, 2)
    x = x + (gain @ (z - x @ h.T)[:, :, None])[:, :, 0]
    return x, p - gain @ ph.transpose(1, 2)
