"""``python -m benchmarks [NAME …]``: measures, prints medians and ratios, leaves nothing."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from types import ModuleType

from benchmarks import machine

NAMES = (
    *("overhead", "counters", "datagrams", "policies", "setup", "clients", "services"),
    *("vpn_ipsec", "vpn_ssl", "lab_gateways", "fleet", "sequential", "stability", "survive"),
    *("leaks", "mlrsearch", "false_loss", "gui", "order_error"),
)


def main() -> int:
    """Run the benchmarks that were named, one after the other."""
    args = _arguments()
    # stopped from outside, its labs are taken down as after Ctrl-C
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda came, frame: sys.exit(128 + came))
    print(machine.description(), flush=True)
    for name in NAMES if "all" in args.names or not args.names else args.names:
        module = _module(name)
        print(f"\n## {name}: {_subject(module)}\n", flush=True)
        module.main(args)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures in labs of its own, which it builds and takes down. Needs root.",
        epilog="\n".join(f"{name:13}{_subject(_module(name))}" for name in NAMES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="see below; all without one")
    parser.add_argument(
        "--profile", default="quick", help="for overhead and fleet (default: %(default)s)"
    )
    parser.add_argument("--times", type=int, help="how often each figure is measured")
    parser.add_argument(
        "--minutes",
        type=float,
        help="for lab_gateways: how long tenants are set up (10); for false_loss: what counts (20)",
    )
    parser.add_argument(
        "--gateways", type=int, nargs="+", help="for lab_gateways: how many (default: up to 100)"
    )
    args = parser.parse_args()
    if unknown := [name for name in args.names if name not in (*NAMES, "all")]:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(NAMES)}, all")
    if os.geteuid() != 0:
        parser.error("the lab needs root; run this with sudo")
    return args


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"benchmarks.{name}")


def _subject(module: ModuleType) -> str:
    """The first sentence of a benchmark's description."""
    return str(module.__doc__).splitlines()[0]


sys.exit(main())
