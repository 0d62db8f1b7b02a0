"""What makes a run's record proof: what decided it, what follows from its trials, who signed."""
