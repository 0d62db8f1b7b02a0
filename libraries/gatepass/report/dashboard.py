"""``./run.sh dashboard``: robotframework-dashboard over the checks of all runs, as one HTML file.

The file loads nothing: its scripts are inside it, and a content security policy has the browser
hold it to that.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from gatepass.base.arguments import Parser, file
from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.base.paths import RESULTS
from gatepass.base.result_folders import outputs as run_outputs
from gatepass.report.results_json import NAME as RESULTS_JSON
from gatepass.results.facts import group

NAME = "dashboard.html"
TITLE = "Gatepass: checks of all runs"
_TIMEOUT_S = 600
_HEAD = "<head>"
_ONLY_ITSELF = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline'; "
    'img-src data: blob:; font-src data:">'
)
_NARROW = '<meta name="viewport" content="width=device-width, initial-scale=1">'
_TITLE = re.compile(r"<title>[^<]*</title>")
_NAMELESS = re.compile(r'(<a (?![^>]*aria-label)[^>]*\b(?:data-title|id)="([^"]+)"[^>]*)></a>')
_FILLED_IN = re.compile(r"\$\{\w+\}")
_PROGRAM = "from robotframework_dashboard.main import main; main()"
_ENDS = b"</robot>"


def dashboard(arguments: list[str]) -> int:
    """Do what the call says.

    Raises:
        InputError: a mistake in the call, or there is no run.
        RuntimeError: robotframework-dashboard failed.
    """
    parser = Parser(
        prog="./run.sh dashboard",
        description="Makes one HTML page over the checks of all runs below results/. It needs no "
        "network to be looked at.",
        allow_abbrev=False,
    )
    parser.add_argument("--to", metavar="FILE", type=file, default=RESULTS / NAME)
    args = parser.parse_args(arguments)
    if args.to.suffix.lower() != ".html":
        raise InputError(f"--to {args.to}: name an .html file.")
    outputs = [path for path in run_outputs(RESULTS) if _ended(path)]
    if not outputs:
        raise InputError(f"{RESULTS}: no run has left an output.xml there yet.")
    try:
        args.to.write_text(_made_of(outputs), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{args.to}: it cannot be written: {error.strerror}. Name another file with --to."
        ) from None
    print(f"{len(outputs)} run{'' if len(outputs) == 1 else 's'}: {args.to}")
    return 0


def _made_of(outputs: list[Path]) -> str:
    """The page. Paths are given relative to the results, as a colon in one would begin a tag."""
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / NAME
        words = ["--databasepath", str(page.with_suffix(".db")), "--namedashboard", str(page)]
        words += ["--dashboardtitle", TITLE, "--offlinedependencies", "true", "--listruns", "false"]
        for output in outputs:
            named = ":".join([str(output.relative_to(RESULTS)), *_tags(output)])
            words += ["--outputpath", named]
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, *words],
            cwd=RESULTS,
            env=without_secrets(),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if done.returncode or not page.exists():
            said = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
            raise RuntimeError(f"robotframework-dashboard ended with {done.returncode}: {said[-1]}")
        html = page.read_text(encoding="utf-8")
    if _HEAD not in html:
        raise RuntimeError("robotframework-dashboard made no HTML page")
    return _for_every_reader(html.replace(_HEAD, _HEAD + _ONLY_ITSELF + _NARROW, 1))


def _for_every_reader(html: str) -> str:
    """The page with its language, a title, and a name for each link that only has a picture.

    Read aloud, such a link would be silent; its id says what it is for.
    """
    html = html.replace("<html ", '<html lang="en" ', 1)
    html = _TITLE.sub(f"<title>{TITLE}</title>", html, count=1)
    return _NAMELESS.sub(lambda link: f'{link[1]} aria-label="{_apart(link[2])}"></a>', html)


def _apart(identity: str) -> str:
    """Words that were written as one, without what a script fills in: ${key}MoveToFirst."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _FILLED_IN.sub("", identity))
    return words.strip().capitalize()


def _tags(output: Path) -> list[str]:
    """What runs can be filtered by on the page: order, gateway, tier, FortiOS version."""
    try:
        document = json.loads(output.with_name(RESULTS_JSON).read_text(encoding="utf-8"))
        order, gateway = group(document, "order"), group(document, "gateway")
    except (OSError, ValueError):
        return []  # an older run; its checks are shown without a tag
    version = gateway.get("version")
    named = (order.get("order"), order.get("tier"), gateway.get("serial"))
    tags = [*named, version and f"version_{version}"]
    return [str(tag).replace(":", "_") for tag in tags if tag]


def _ended(output: Path) -> bool:
    """Whether Robot has closed the file; that of a run at work or a killed one is cut off."""
    if not output.is_file():
        return False
    with output.open("rb") as stream:
        stream.seek(max(0, output.stat().st_size - 64))
        return _ENDS in stream.read()
