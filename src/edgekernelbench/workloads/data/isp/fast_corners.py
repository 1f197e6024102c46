"""FAST-9 corner scores."""

import torch

CIRCLE = [(0, 3), (0, 4), (1, 5), (2, 6), (3, 6), (4, 6), (5, 5), (6, 4)]
CIRCLE += [(6 - y, 6 - x) for y, x in CIRCLE]


def fast_corners(img, *, LIMIT):
    """Scores of pixels with nine consecutive neighbours that are all brighter or all darker."""
    pixels = img.int()
    height, width = img.shape[0] - 6, img.shape[1] - 6
    ring = torch.stack([pixels[y : y + height, x : x + width] for y, x in CIRCLE])
    score = torch.zeros(height, width, dtype=torch.int32)
    for sign in (-1, 1):
        excess = sign * (ring - pixels[3:-3, 3:-3]) - LIMIT
        hit = excess > 0
        twice = torch.cat([hit, hit[:8]])
        corner = twice.unfold(0, 9, 1).all(-1).any(0)
        score = torch.where(corner, excess.clamp(min=0).sum(0, dtype=torch.int32), score)
    return score.to(torch.uint16)
