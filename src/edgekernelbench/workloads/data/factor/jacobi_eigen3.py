"""Eigenvalues of symmetric 3x3 matrices."""

import torch


def jacobi_eigen3(xx, xy, xz, yy, yz, zz):
    """Eigenvalues of each matrix, largest first."""
    rows = [torch.stack(row, dim=-1) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
    return torch.linalg.eigvalsh(torch.stack(rows, dim=-2)).flip(-1).T.contiguous()
