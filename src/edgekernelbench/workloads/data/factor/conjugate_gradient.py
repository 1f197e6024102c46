"""Conjugate gradients, a fixed number of steps."""


def conjugate_gradient(a, b, x0, *, S):
    """S steps from x0."""
    x, r = x0, b - a @ x0
    d, rr = r, r @ r
    for _ in range(S):
        ad = a @ d
        alpha = rr / (d @ ad)
        x, r = x + alpha * d, r - alpha * ad
        rr, before = r @ r, rr
        d = r + rr / before * d
    return x
