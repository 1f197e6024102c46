"""Look-up in a 4-bit embedding."""

import torch


def embedding_i4(ids, table, scale, *, T, D):
    """Gather codes and scales, multiply."""
    ids = ids.long()
    codes = table[ids].float().view(len(ids), scale.shape[1], -1)
    rows = (codes * scale[ids].float()[:, :, None]).view(len(ids), D) * D**0.5
    return rows.to({"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[T])
