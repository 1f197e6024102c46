"""`python -m edgekernelbench`: the command `ekb`, where that is not on the path."""

from edgekernelbench.cli.main import main

main()
