"""``./run.sh results``: results.json, trials.csv and xunit.xml made again from an output.xml."""

from __future__ import annotations

from gatepass.base.arguments import Parser, any_path, file
from gatepass.base.errors import InputError
from gatepass.report import results_json, xunit
from gatepass.report import trials_csv as trials_table
from gatepass.results.outcome import read_digested


def results(arguments: list[str]) -> int:
    """Do what the call says.

    Raises:
        InputError: a mistake in the call or the file.
    """
    parser = Parser(
        prog="./run.sh results",
        description="Makes results.json, trials.csv and xunit.xml of a run again from its "
        "output.xml alone.",
        allow_abbrev=False,
    )
    parser.add_argument("output", metavar="OUTPUT.XML", type=file, help="of a run")
    parser.add_argument("--to", metavar="FOLDER", type=any_path, help="default: beside it")
    args = parser.parse_args(arguments)
    outcome, digest = read_digested(args.output)
    document = results_json.document(outcome, digest)
    folder = args.to or args.output.parent
    try:
        made = [
            results_json.write(document, folder),
            trials_table.write(document, folder),
            xunit.write(outcome, folder),
        ]
    except OSError as error:
        raise InputError(
            f"{folder}: results.json, trials.csv and xunit.xml cannot be written there: "
            f"{error.strerror}. "
            "Name a folder that exists and can be written with --to."
        ) from None
    print(f"{document['verdict'].upper()}: {', '.join(map(str, made))}")
    return 0
