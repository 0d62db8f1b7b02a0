"""What gets through the gateway although nothing permits it: packets of every kind, captured."""
