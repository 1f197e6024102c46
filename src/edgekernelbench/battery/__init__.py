"""What the judge must refuse and what it must accept, tried on the judge itself."""
