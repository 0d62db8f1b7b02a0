"""Network namespaces and the wires between them."""
