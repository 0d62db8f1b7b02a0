"""``./run.sh export``: what of runs is for outside, in a folder of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gatepass.base.arguments import Parser, any_path
from gatepass.base.errors import InputError
from gatepass.proof.folder import INPUTS
from gatepass.proof.outside import export

_OF_A_RUN = ("output.xml", "fleet.json", INPUTS)


def export_runs(arguments: Sequence[str]) -> int:
    """Do what the call says.

    Returns:
        The exit code: 0, also where there is nothing to export.

    Raises:
        InputError: a mistake in the call, or a folder that cannot be read or written.
    """
    parser = Parser(
        prog="./run.sh export",
        description="Copies what of a run is for outside, for the customer or for a pipeline's "
        "artifacts: no configuration, policies or sessions of the gateway, no journal, no testbed.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "folder", metavar="FOLDER", type=any_path, help="of a run, of a fleet, or of several"
    )
    parser.add_argument(
        "--to", metavar="FOLDER", type=any_path, required=True, help="a new folder, or an empty one"
    )
    args = parser.parse_args(arguments)
    source, target = args.folder.resolve(), args.to.resolve()
    if not source.is_dir():
        raise InputError(f"{args.folder}: there is no such folder. Name the folder of a run.")
    if target.is_relative_to(source):
        raise InputError(f"--to {args.to}: it lies in {args.folder}. Name a folder elsewhere.")
    try:
        if target.exists() and any(target.iterdir()):
            raise InputError(f"--to {args.to}: something lies there. Name a new folder.")
        one = any((source / name).exists() for name in _OF_A_RUN)
        runs = {source: target} if one else _below(source, target)
        counts = [export(run, place) for run, place in runs.items()]
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}.") from None
    exported = [count for count in counts if count]
    if exported:
        runs_of = "1 run" if len(exported) == 1 else f"{len(exported)} runs"
        print(f"{sum(exported)} files of {runs_of}: {target}")
    else:
        print(f"Nothing to export: no run has left anything in {args.folder}.")
    return 0


def _below(source: Path, target: Path) -> dict[Path, Path]:
    """The runs of a folder, and where they go."""
    return {
        path: target / path.name
        for path in sorted(source.iterdir())
        if path.is_dir() and not path.is_symlink() and not path.name.startswith(".")
    }
