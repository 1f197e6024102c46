"""Half-step of alternating least squares."""

import torch


def user_factor_solve(items, count, rate, table, *, LAMBDA):
    """Normal equations of each user's ratings, solved by Cholesky."""
    mask = torch.arange(items.shape[1]) < count[:, None]
    f = table[items.long()] * mask[:, :, None]
    ridge = LAMBDA * count[:, None, None] * torch.eye(table.shape[1])
    factor = torch.linalg.cholesky(f.mT @ f + ridge)
    return torch.cholesky_solve(f.mT @ rate[:, :, None], factor)[:, :, 0]
