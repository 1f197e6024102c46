"""Ternary weights unpacked to bytes ahead of time, and an integer product."""

import torch


def ternary_gemv(x, xs, w, ws):
    """No library reads such bytes; unpacked, they are a quantised layer's."""
    front = w[:, :, None] * (3 ** torch.arange(5)).to(torch.uint8)  # modulo 256
    trits = ((front.short() * 3 >> 8) - 1).to(torch.int8).flatten(1)
    if x.is_cuda:  # the integer product there wants more than 16 rows
        return (trits.float() @ x.float()) * (xs * ws)
    return torch._int_mm(x[None], trits.T)[0].float() * (xs * ws)
