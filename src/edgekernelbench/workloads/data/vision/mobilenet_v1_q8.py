"""MobileNetV1 in int8, channels last."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU
STRIDES = (1, 2, 1, 2, 1, 2, *5 * [1], 2, 1)
WIDTHS = (1, 2, 4, 4, 8, 8, *6 * [16], 32, 32)


def requantise(acc, bias, mantissa, shift):
    """Scale by mantissa / 2**31 >> shift, rounding half up; ReLU; counts from zero."""
    product = (acc.long() + bias) * mantissa.long()
    return ((product + (1 << (30 + shift.long()))) >> (31 + shift.long())).clamp(0, 127 - ZERO)


def convolve(x, w, stride, groups=1):
    """Convolve channels-last values with TensorFlow's SAME padding; float32 is exact here."""
    before = 2 - stride
    padded = F.pad(x.permute(2, 0, 1)[None].float(), (before, 1, before, 1))
    return F.conv2d(padded, w.float(), stride=stride, groups=groups)[0].permute(1, 2, 0)


def mobilenet_v1_q8(
    x, w0, b0, m0, s0, wd, bd, md, sd, p1, s1, p2, s2, p3, s3, p4, s4, p5, s5, p6, s6, p7, s7, p8, s8, p9, s9,
    bp, mp, wf, bf, *, ZX, SF,
):  # fmt: skip
    """Class probabilities of one image."""
    points = [p1, p2, p3, p4, p5, p6, *p7, p8, p9]
    shifts = [s1, s2, s3, s4, s5, s6, *s7, s8, s9]
    widths = [len(w0) * n for n in WIDTHS]
    w, b, m, s = (part.split(widths[:-1], dim=-1) for part in (wd, bd, md, sd))
    biases, mantissas = bp.split(widths[1:]), mp.split(widths[1:])
    h = requantise(convolve(x.int() - ZX, w0.permute(0, 3, 1, 2), 2), b0, m0, s0)
    for n in range(13):
        filters = w[n].permute(2, 0, 1)[:, None]
        d = requantise(convolve(h, filters, STRIDES[n], len(filters)), b[n], m[n], s[n])
        h = requantise(d.float() @ points[n].float().T, biases[n], mantissas[n], shifts[n])
    count = h.shape[0] * h.shape[1]
    mean = (h.sum(dim=(0, 1)) + count // 2) // count
    return torch.softmax((mean.float() @ wf.float().T + bf) * SF, dim=0)
