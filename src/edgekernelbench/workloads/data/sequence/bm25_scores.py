"""BM25 relevance."""


def bm25_scores(query, tf, idf, size, *, K1, B):
    """Sum the saturated frequencies of the query's terms, weighted by rarity."""
    counts = tf[query.long()].float()
    weights = counts * (K1 + 1) / (counts + K1 * (1 - B + B * size))
    return idf[query.long()] @ weights
