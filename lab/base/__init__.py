"""What every other room of the lab may need."""
