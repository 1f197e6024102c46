"""DS-CNN for keyword spotting, int8, channels last."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU


def requantise(acc, bias, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift with one rounding, half up; apply ReLU about the zero point."""
    product = (acc.long() + bias) * mantissa.long()
    scaled = (product + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled.clamp(min=0) + ZERO).clamp(-128, 127)


def convolve(x, w, stride=1, groups=1):
    """Convolve channels-last codes; float32 holds these sums exactly."""
    y = F.conv2d(x.permute(2, 0, 1)[None].float(), w.float(), stride=stride, groups=groups)
    return y[0].permute(1, 2, 0)


def ds_cnn_q8(x, w0, b0, m0, s0, wd, bd, md, sd, wp, bp, mp, sp, wf, bf, *, ZX, SF):
    """Class probabilities of one window of coefficients."""
    frames, bands = x.shape
    rows, columns = 2 * ((frames + 1) // 2) + 8 - frames, 2 * ((bands + 1) // 2) + 2 - bands
    centred = F.pad(
        (x.int() - ZX)[:, :, None], (0, 0, columns // 2, columns - columns // 2, rows // 2, rows - rows // 2)
    )
    h = requantise(convolve(centred, w0[:, None], stride=2), b0, m0, s0)
    for n in range(4):
        filters = wd[n].permute(2, 0, 1)[:, None]
        spatial = convolve(F.pad(h - ZERO, (0, 0, 1, 1, 1, 1)), filters, groups=len(b0))
        d = requantise(spatial, bd[n], md[n], sd[n])
        h = requantise((d - ZERO).float() @ wp[n].float().T, bp[n], mp[n], sp[n])
    count = h.shape[0] * h.shape[1]
    mean = ((h - ZERO).sum(dim=(0, 1)) + count // 2) // count
    logits = (mean.float() @ wf.float().T + bf) * SF
    return torch.softmax(logits, dim=0)
