"""Command-line agents of others: each works on one task in a place of its own."""
