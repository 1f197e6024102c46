"""Product with grouped asymmetric 4-bit weights."""


def matmul_u4_zp(x, w, zero, scale):
    """Dequantise by zero point and scale of each group, then multiply; sums in float32."""
    rows, groups = scale.shape
    centred = w.float().view(rows, groups, -1) - zero.float()[:, :, None]
    weights = (centred * scale.float()[:, :, None]).view(rows, -1)
    return (x.float() @ weights.T).to(x.dtype)
