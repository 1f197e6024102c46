"""Count-min sketch."""

import torch


def count_min_sketch(key, query, old, mul, add, *, BITS):
    """Count the hashed events row by row; read the least counter of each query."""

    def slots(values):
        # The product modulo 2 ** 32 by halves, since 64 bits are signed here.
        x, m = values.long(), mul.long()[:, None]
        product = (x & 0xFFFF) * m + (((x >> 16) * m & 0xFFFF) << 16)
        return ((product + add.long()[:, None]) & 0xFFFFFFFF) >> (32 - BITS)

    at = slots(key)
    new = old.scatter_add(1, at, torch.ones_like(at, dtype=torch.int32))
    return new, new.gather(1, slots(query)).amin(0)
