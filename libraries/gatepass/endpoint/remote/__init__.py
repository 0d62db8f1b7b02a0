"""Programs that run on the endpoints, with the Python there (3.9 or later) and nothing else."""
