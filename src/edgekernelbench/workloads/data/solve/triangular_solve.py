"""Forward substitution."""

import torch


def triangular_solve(l, y):
    """Solve l x = y for a lower triangular l."""
    return torch.linalg.solve_triangular(l, y, upper=False)
