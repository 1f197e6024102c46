"""Matrix-vector product with 8-bit weights."""


def gemv_w8(x, w, scale):
    """Multiply by the codes in float32, scale each row once."""
    return ((w.float() @ x.float()) * scale).to(x.dtype)
