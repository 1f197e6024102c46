"""Recurrent noise suppressor with 8-bit weights."""

import torch
import torch.nn.functional as F


def gru(inputs, state, w, b):
    """One step; the reset gate acts before the recurrent product."""
    joint = torch.cat([inputs, state])
    update, reset = torch.sigmoid(w[:2] @ joint + b[:2])
    fresh = F.relu(w[2] @ torch.cat([inputs, reset * state]) + b[2])
    return update * state + (1 - update) * fresh


def denoiser(x, wi, bi, wv, bv, wn, bn, wd, bd, wo, bo):
    """Gains of all frames."""
    wi, wv, wn, wd, wo = (w.float() / 256 for w in (wi, wv, wn, wd, wo))
    hidden = torch.tanh(F.linear(x, wi, bi))
    voice, noise, clean = torch.zeros(24), torch.zeros(48), torch.zeros(96)
    states = []
    for features, first in zip(x, hidden, strict=True):
        voice = gru(first, voice, wv, bv)
        noise = gru(torch.cat([first, voice, features]), noise, wn, bn)
        clean = gru(torch.cat([voice, noise, features]), clean, wd, bd)
        states.append(clean)
    return torch.sigmoid(F.linear(torch.stack(states), wo, bo))
