"""Sparse matrix-vector product, padded rows."""


def spmv_ell(x, v, col):
    """Gather, multiply, sum each row."""
    return (v * x[col.long()]).sum(1)
