"""What a kernel will cost: read off the nest; nothing is compiled, nothing runs."""
