"""``python -m gatepass``: the command line behind run.sh."""

import os
import sys

_FAULT = 70


def _main(arguments: list[str]) -> int:
    """The exit code of a call; where not even the program can be loaded it is no verdict's."""
    os.umask(0o077)  # what is written of a customer's gateway is its tester's alone
    try:
        from gatepass.base.steady_output import own_output
        from gatepass.cli import acts, main
    except Exception as error:
        sentence = f"Gatepass cannot be loaded ({type(error).__name__}: {error})."
        print(f"{sentence} Remove .venv, and run.sh makes it anew.", file=sys.stderr)
        return _FAULT
    own_output(steady=acts(arguments))
    return main(arguments)


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
