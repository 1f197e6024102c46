"""Matrix-vector product with grouped 4-bit weights."""


def gemv_i4(x, w, scale):
    """Dequantise each group of weights by its scale, then multiply; sums in float32."""
    rows, groups = scale.shape
    weights = w.float().view(rows, groups, -1) * scale.float()[:, :, None]
    return (weights.view(rows, -1) @ x.float()).to(x.dtype)
