"""Background subtraction by a running mean and deviation."""

import torch


def background_subtract(frame, mean, dev, *, RATE, LEAST):
    """Foreground masks of consecutive frames."""
    masks = []
    for image in frame.int():
        gap = 256 * image - mean
        fore = gap.abs() > (3 * dev).clamp(min=256 * LEAST)
        mean = torch.where(fore, mean, (mean + (gap >> RATE)).clamp(0, 65280))
        dev = torch.where(fore, dev, (dev + ((gap.abs() - dev) >> RATE)).clamp(0, 65280))
        masks.append(fore)
    return torch.stack(masks).to(torch.uint8)
