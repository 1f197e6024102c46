"""What GPU backends share: launches, barriers, memory and reductions across threads, all on nests."""
