"""Programs that run on the endpoints, with the Python there (3.6 or later) and nothing else."""
