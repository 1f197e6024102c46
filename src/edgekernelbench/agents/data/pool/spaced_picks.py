import torch


def spaced_picks(x):
    place = torch.arange(x.shape[0])
    free, picks = x.clone(), []
    for _ in range(8):
        pick = torch.argmax(free)
        picks.append(pick)
        free = torch.where((place - pick).abs() < 3, float("-inf"), free)
    return torch.stack(picks).to(torch.int32)
