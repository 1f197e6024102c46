"""Proofs about the compute layer: types, ranges, order. Below the nest, above the text."""
