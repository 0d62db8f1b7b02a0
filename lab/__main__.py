"""`python -m lab`."""

import sys

try:
    from lab.cli import main
except Exception as error:  # 1, as Python ends by itself, is a verdict of what runs in a lab
    print(f"lab: it cannot be loaded ({type(error).__name__}: {error}).", file=sys.stderr)
    sys.exit(70)

if __name__ == "__main__":
    sys.exit(main())
