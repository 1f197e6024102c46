"""Mamba block, one token."""

import torch
import torch.nn.functional as F


def mamba_step(x, g, win, wc, bc, wx, wt, bt, a, skip, wout, conv, state, *, Q, N, EPS):
    """Shift the convolution's window, advance the state, gate, project; in float32."""
    kind = x.dtype
    x, g, win, wc, bc, wx, wt, wout = (tensor.float() for tensor in (x, g, win, wc, bc, wx, wt, wout))
    branch, gate = win @ F.rms_norm(x, g.shape, g, EPS)
    window = torch.cat([conv[:, 1:], branch[:, None].to(kind)], dim=1)
    u = F.silu((window.float() * wc).sum(1) + bc)
    step, inflow, read = (wx @ u).split([Q, N, N])
    dt = F.softplus(wt @ step + bt)
    state = torch.exp(dt[:, None] * a) * state + (dt * u)[:, None] * inflow
    out = x + wout @ ((state @ read + u * skip) * F.silu(gate))
    return out.to(kind), window, state
