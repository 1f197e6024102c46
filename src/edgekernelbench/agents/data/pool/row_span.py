def row_span(x):
    return x.amax(dim=1) - x.amin(dim=1)
