"""What a schedule and a memory layer will cost, read off the nest: nothing is compiled, nothing runs."""
