"""Crops of a frame, resized and normalised."""

import torch


def crop_resize(img, box, mean, scale, *, S, T):
    """One normalised crop a box."""
    height, width = img.shape[:2]
    steps = torch.arange(S) / (S - 1)
    py = (box[:, 1, None] + steps * (box[:, 3] - box[:, 1])[:, None]).clamp(0, height - 1)
    px = (box[:, 0, None] + steps * (box[:, 2] - box[:, 0])[:, None]).clamp(0, width - 1)
    top, left = py.long(), px.long()
    ty, tx = (py - top)[:, :, None, None], (px - left)[:, None, :, None]
    low, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    image = img.float()

    def read(rows, columns):
        return image[rows[:, :, None], columns[:, None, :]]

    upper = (1 - tx) * read(top, left) + tx * read(top, right)
    lower = (1 - tx) * read(low, left) + tx * read(low, right)
    crops = ((1 - ty) * upper + ty * lower - mean) * scale
    return crops.permute(0, 3, 1, 2).to(torch.float16 if T == "f16" else torch.float32)
