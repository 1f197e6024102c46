def centre_rows(x):
    mean = x.mean(dim=1, keepdim=True)
    size = x.abs().mean(dim=1, keepdim=True)
    return (x - mean) / (size + 0.001)
