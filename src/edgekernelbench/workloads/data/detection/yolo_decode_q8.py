"""Decoding of an int8 YOLO grid."""

import torch


def yolo_decode_q8(raw, prior, scale, *, G, STRIDE, ZP):
    """Corners, score and class of each box."""
    act = torch.sigmoid((raw.float() - ZP) * scale)
    cell = torch.arange(G)
    cx = (2 * act[:, 0] - 0.5 + cell) * STRIDE
    cy = (2 * act[:, 1] - 0.5 + cell[:, None]) * STRIDE
    w = (2 * act[:, 2]).square() * prior[:, 0, None, None]
    h = (2 * act[:, 3]).square() * prior[:, 1, None, None]
    # The first of equal classes: the codes times their number, less the place.
    classes = (
        raw[:, 5:].int() * raw.shape[1] - torch.arange(raw.shape[1] - 5, dtype=torch.int32)[:, None, None]
    )
    top = classes.argmax(1)
    score = act[:, 4] * act[:, 5:].gather(1, top[:, None])[:, 0]
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2, score, top.float()], dim=3)
