"""C that somebody else wrote: its prototype, what it may hold, and how it is built to be run alone."""
