"""Other compute layers with the same values, each made of a verified kernel, or nothing."""
