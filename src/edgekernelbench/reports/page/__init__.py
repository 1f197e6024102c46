"""The report as one HTML page: from run folders to a file that needs nothing else."""
