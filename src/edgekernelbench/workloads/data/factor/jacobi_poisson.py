"""Damped Jacobi sweeps on a grid."""


def jacobi_poisson(u0, f, *, S, OMEGA):
    """S sweeps over the inner points."""
    u = u0.clone()
    for _ in range(S):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = (1 - OMEGA) * u[1:-1, 1:-1] + 0.25 * OMEGA * (around - f[1:-1, 1:-1])
    return u
