"""Makes the pages that are generated; `make golden` writes them."""
