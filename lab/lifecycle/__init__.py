"""How a lab is built, kept and taken down."""
