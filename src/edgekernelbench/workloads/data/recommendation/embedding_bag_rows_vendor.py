"""Weighted sums of row-wise quantised embeddings by PyTorch's operators for such tables."""

import torch


def embedding_bag_rows(ids, w, table, scale, bias, *, Q):
    """Scale and bias stand behind the codes of each row: two halves if 4-bit, two floats if 8-bit."""
    bags = torch.arange(0, ids.numel(), ids.shape[1])
    rows, weights = ids.long().flatten(), w.flatten()
    ends = torch.stack([scale, bias], dim=1)
    if table.is_cuda:  # these operators are for CPUs
        values = table[rows].float() * scale[rows].float()[:, None] + bias[rows].float()[:, None]
        return (values * weights[:, None]).view(*ids.shape, -1).sum(1)
    if Q == "u4":
        packed = torch.cat([table[:, ::2] + table[:, 1::2] * 16, bytes_of(ends)], dim=1)
        sums = torch.ops.quantized.embedding_bag_4bit_rowwise_offsets
    else:
        packed = torch.cat([table, bytes_of(ends.float())], dim=1)
        sums = torch.ops.quantized.embedding_bag_byte_rowwise_offsets
    return sums(packed, rows, bags, per_sample_weights=weights)


def bytes_of(rows):
    """What rows are made of; by way of NumPy, since a view as another type cannot be traced."""
    return torch.from_numpy(rows.numpy().view("uint8"))
