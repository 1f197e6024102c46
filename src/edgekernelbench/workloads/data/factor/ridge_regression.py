"""Ridge regression."""

import torch


def ridge_regression(x, y, *, LAMBDA):
    """Normal equations by Cholesky."""
    gram = x.T @ x + LAMBDA * torch.eye(x.shape[1])
    return torch.cholesky_solve(x.T @ y, torch.linalg.cholesky(gram))
