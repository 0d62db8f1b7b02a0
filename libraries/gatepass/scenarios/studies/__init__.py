"""Studies: published methods carried out whole."""
