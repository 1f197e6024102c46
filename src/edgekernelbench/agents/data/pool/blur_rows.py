import torch


def blur_rows(x):
    pad = torch.nn.functional.pad(x[None], (1, 1), mode="replicate")[0]
    return 0.25 * pad[:, :-2] + 0.5 * pad[:, 1:-1] + 0.25 * pad[:, 2:]
