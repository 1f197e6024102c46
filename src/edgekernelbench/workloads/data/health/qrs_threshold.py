"""Decision stage of the Pan-Tompkins QRS detector."""

import torch


def qrs_threshold(x, *, START, REST):
    """Walk along time with all leads side by side."""
    x = x.long()
    top = torch.zeros_like(x, dtype=torch.bool)
    top[:, 1:-1] = (x[:, 1:-1] > x[:, :-2]) & (x[:, 1:-1] >= x[:, 2:])
    signal, noise = torch.full_like(x[:, 0], 4 * START), torch.zeros_like(x[:, 0])
    bar, wait = torch.full_like(noise, START), torch.zeros_like(noise)
    beats, bars = [], []
    for value, is_top in zip(x.unbind(dim=1), top.unbind(dim=1), strict=True):
        hit = is_top & (value > bar) & (wait == 0)
        beats.append(hit)
        bars.append(bar)
        signal = torch.where(hit, signal + ((value - signal) >> 3), signal)
        noise = torch.where(is_top & ~hit, noise + ((value - noise) >> 3), noise)
        wait = torch.where(hit, REST, (wait - 1).clamp(min=0))
        bar = noise + ((signal - noise) >> 2)
    return torch.stack(beats, dim=1).to(torch.uint8), torch.stack(bars, dim=1).int()
