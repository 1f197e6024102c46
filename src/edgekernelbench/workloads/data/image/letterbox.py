"""Letterbox preprocessing of a detector."""

import torch
import torch.nn.functional as F


def letterbox(img, *, S, NH, NW, PY, PX, T):
    """Resize, pad, scale and put channels first."""
    planes = img.permute(2, 0, 1)[None].float()
    small = F.interpolate(planes, size=(NH, NW), mode="bilinear", align_corners=False)[0]
    square = F.pad(small, (PX, S - NW - PX, PY, S - NH - PY), value=114.0) / 255
    return square.to(torch.float16 if T == "f16" else torch.float32)
