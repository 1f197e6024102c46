"""Time mixing of RWKV-4 token by token, as its CPU code runs."""

import torch


def wkv(k, v, w, u):
    """Carry numerator, denominator and the greatest exponent; all channels at once."""
    top, num, den = k[0], v[0], torch.ones_like(w)
    out = [v[0]]
    for key, value in zip(k[1:], v[1:]):
        now = torch.maximum(top, u + key)
        keep, fresh = torch.exp(top - now), torch.exp(u + key - now)
        out.append((keep * num + fresh * value) / (keep * den + fresh))
        top, before = torch.maximum(top - w, key), top
        fade, gain = torch.exp(before - w - top), torch.exp(key - top)
        num, den = fade * num + gain * value, fade * den + gain
    return torch.stack(out)
