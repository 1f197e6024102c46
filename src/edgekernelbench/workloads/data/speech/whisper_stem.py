"""Convolutional stem of Whisper's encoder."""

import torch.nn.functional as F


def whisper_stem(mel, w1, b1, w2, b2, pos):
    """Two convolutions with GELU, positions added; sums in float32."""
    h = F.gelu(F.conv1d(mel.float(), w1.float(), b1, padding=1)).to(mel.dtype)
    h = F.gelu(F.conv1d(h.float(), w2.float(), b2, stride=2, padding=1))
    return (h.T + pos.float()).to(mel.dtype)
