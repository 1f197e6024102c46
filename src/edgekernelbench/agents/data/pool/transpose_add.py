def transpose_add(x, y):
    return x.permute(1, 0) + y
