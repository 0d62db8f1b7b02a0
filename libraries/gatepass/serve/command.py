"""``./run.sh serve``: the results folder as pages in a browser on this machine."""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import signal
from pathlib import Path

from aiohttp import web

from gatepass.base.arguments import Parser, any_path
from gatepass.base.errors import InputError
from gatepass.base.paths import RESULTS
from gatepass.serve.secret import Secret
from gatepass.serve.server import HOST, application

PORT = 8471
_ENDS_S = 2.0


def serve(arguments: list[str]) -> int:
    """Serve until a signal says that it is enough.

    Raises:
        InputError: a mistake in the call, no such folder, or a port that is taken.
    """
    args = _parser().parse_args(arguments)
    folder: Path = args.results
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder. Runs are kept in {RESULTS}; name another with "
            "--results."
        )
    asyncio.run(_serve(folder, args.port))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="./run.sh serve",
        description="Shows the results folder in a browser on this machine: all runs, one that is "
        "under way, two beside each other. It changes nothing. Nobody reaches it from another "
        "machine, and only who has the address that it prints reads what it shows.",
        epilog="from another machine: ssh -L 8471:127.0.0.1:8471 THIS-MACHINE",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--results", metavar="FOLDER", type=any_path, default=RESULTS, help=f"default {RESULTS}"
    )
    parser.add_argument(
        "--port", metavar="N", type=_port, default=PORT, help=f"default {PORT}; 0: any that is free"
    )
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"'{text[:20]}' is no port; name one from 0 to 65535")
    return int(text)


async def _serve(folder: Path, port: int) -> None:
    secret = Secret()
    runner = web.AppRunner(application(folder, secret), access_log=None, shutdown_timeout=_ENDS_S)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            raise InputError(_cannot(error, port)) from None
        here = secret.address(f"http://{HOST}:{runner.addresses[0][1]}/")
        print(f"{here} shows {folder}. Ctrl-C ends it.", flush=True)
        await _asked_to_end()
    finally:
        await runner.cleanup()


def _cannot(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        why = "another program has it"
    else:
        why = os.strerror(error.errno) if error.errno else str(error)
    return f"port {port} of {HOST} cannot be used: {why}. Name another with --port."


async def _asked_to_end() -> None:
    enough = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, enough.set)
    await enough.wait()
