"""Integer 5/3 wavelet by lifting, in place."""

import torch


def wavelet53(x, *, LEVELS):
    """Split even and odd, predict, update; go on with the even part."""
    out = x.int()
    for level in range(LEVELS):
        line = out[:, :: 2**level]
        even, odd = line[:, ::2].clone(), line[:, 1::2].clone()
        right = even[:, 1:]
        if odd.shape[1] > right.shape[1]:
            right = torch.cat([right, even[:, -1:]], dim=1)
        odd -= (even[:, : odd.shape[1]] + right) >> 1
        left = torch.cat([odd[:, :1], odd], dim=1)[:, : even.shape[1]]
        after = torch.cat([odd, odd[:, -1:]], dim=1)[:, : even.shape[1]]
        even += (left + after + 2) >> 2
        line[:, ::2], line[:, 1::2] = even, odd
    return out.to(torch.int16)
