"""Matrix product."""


def matmul(a, b):
    """Multiply activations by a weight matrix."""
    return a @ b
