"""Minimum-variance beamformer weights of every bin."""

import torch


def mvdr_weights(cr, ci, dr, di, *, LOAD):
    """Solve with the loaded covariance, scale to unit gain towards the source."""
    covariance = torch.complex(cr, ci)
    covariance = (covariance + covariance.mH) / 2 + LOAD * torch.eye(cr.shape[1])
    steering = torch.complex(dr, di)
    solved = torch.linalg.solve(covariance, steering)
    gain = (steering.conj() * solved).sum(dim=1, keepdim=True).real
    weights = solved / (gain + 1e-6)
    return weights.real, weights.imag
