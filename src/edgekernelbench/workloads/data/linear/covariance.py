"""Sample covariance of channels."""

import torch


def covariance(x):
    """Covariance and mean of the columns."""
    return torch.cov(x.T), x.mean(0)
