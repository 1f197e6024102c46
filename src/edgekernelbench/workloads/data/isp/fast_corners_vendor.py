"""FAST-9 corner scores, runs of neighbours found by shifting bits."""

import torch

CIRCLE = [(0, 3), (0, 4), (1, 5), (2, 6), (3, 6), (4, 6), (5, 5), (6, 4)]
CIRCLE += [(6 - y, 6 - x) for y, x in CIRCLE]
BITS = 65537 << torch.arange(16)[:, None, None]


def fast_corners(img, *, LIMIT):
    """Scores of pixels with nine consecutive neighbours that are all brighter or all darker."""
    pixels = img.int()
    height, width = img.shape[0] - 6, img.shape[1] - 6
    gap = torch.stack([pixels[y : y + height, x : x + width] for y, x in CIRCLE]) - pixels[3:-3, 3:-3]

    def score(excess):
        run = ((excess > 0) * BITS).sum(0)
        two = run & (run >> 1)
        four = two & (two >> 2)
        nine = four & (four >> 4) & (run >> 8) & 65535
        return torch.where(nine != 0, excess.clamp(min=0).sum(0, dtype=torch.int32), 0)

    # No pixel has both kinds of runs: two runs of nine do not fit on a circle of sixteen.
    return (score(gap - LIMIT) + score(-gap - LIMIT)).to(torch.uint16)
