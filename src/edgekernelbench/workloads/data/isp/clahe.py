"""Contrast-limited adaptive histogram equalisation, in integers."""

import torch


def clahe(img, *, GY, GX, TH, TW, CLIP):
    """Equalise tiles with a cap on each count, then blend the tables of neighbouring tiles."""
    value = img.long()
    tiles = value.view(GY, TH, GX, TW).transpose(1, 2).reshape(GY, GX, TH * TW)
    hist = torch.zeros(GY, GX, 256, dtype=torch.long).scatter_add_(2, tiles, torch.ones_like(tiles))
    cut = (hist - CLIP).clamp(min=0).sum(2, keepdim=True)
    share = (torch.arange(257) * cut // 256).diff(dim=2)
    cdf = (hist.clamp(max=CLIP) + share).cumsum(2)
    lut = ((cdf * 255 + TH * TW // 2) // (TH * TW)).clamp(0, 255)

    def place(count, size):
        twice = 2 * torch.arange(count * size) + 1 - size
        low = torch.div(twice, 2 * size, rounding_mode="floor")
        return low.clamp(0, count - 1), (low + 1).clamp(0, count - 1), twice - 2 * size * low

    above, below, down = place(GY, TH)
    ya, yb, fy = above[:, None], below[:, None], down[:, None]
    xa, xb, fx = place(GX, TW)
    upper = (2 * TW - fx) * lut[ya, xa, value] + fx * lut[ya, xb, value]
    lower = (2 * TW - fx) * lut[yb, xa, value] + fx * lut[yb, xb, value]
    total = (2 * TH - fy) * upper + fy * lower
    return ((total + 2 * TH * TW) // (4 * TH * TW)).to(torch.uint8)
