"""One run: the plan is told, Robot runs the suites, the order's verdict is the exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from robot.errors import DataError, Information
from robot.run import RobotFramework

from gatepass.base import namespace
from gatepass.base.boxed import boxed, one_line
from gatepass.base.errors import InputError
from gatepass.base.new_folder import new_folder
from gatepass.base.paths import HISTORY, SUITES, VARIABLES, results_of, run_name
from gatepass.base.stop_signals import deaf
from gatepass.endpoint import visits
from gatepass.endpoint.ssh import clean_endpoints
from gatepass.endpoint.visits import left_on_endpoints
from gatepass.gateway.journal import left_changed, release_own
from gatepass.gateway.recorder import must_be_new
from gatepass.gateway.restore import restore_all
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.inputs.order import Order
from gatepass.inputs.profile import NamedProfile
from gatepass.inputs.provider import load_provider, provider_file
from gatepass.inputs.published import load_published
from gatepass.inputs.testbed import Testbed
from gatepass.proof import signing_key
from gatepass.report import certificate, study
from gatepass.report.reasons import reasons
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED
from gatepass.run import aftermath, plan, sentences, turns
from gatepass.run.execution import OUTPUT, Inputs, execute
from gatepass.run.notice import tell_of_the_end
from gatepass.run.progress import tell, told
from gatepass.run.recorded import recorded
from gatepass.run.space import Room

EXIT_CODES = {APPROVED: 0, REJECTED: 1, NOT_PROVEN: 2}
_FAILED = 255
_STOPPED = 253  # Robot's word for a run that was ended by a signal

RUN_FOLDER = "GATEPASS_RUN_FOLDER"
"""Names the folder of a run that belongs to a fleet; a run of its own makes one."""

# What the command line hands to Robot itself, so what may not be said after `--`.
_OURS = (
    *("outputdir", "output", "log", "report", "xunit", "name", "console", "dotted", "quiet"),
    *("pythonpath", "rpa", "exitonerror", "dryrun", "runemptysuite", "statusrc"),
    *("timestampoutputs", "extension", "parseinclude", "language"),
)
_INPUTS = ("variable", "variablefile")
# They would change the order or the verdicts of the checks, or what is kept as their proof.
_MEDDLING = (
    *("listener", "prerunmodifier", "prerebotmodifier", "parser"),
    *("randomize", "skiponfailure"),
)
_LOG_LEVELS = ("TRACE", "DEBUG")
Ending = Callable[[Path], str]
"""Makes of an ended run's folder what is to be kept, and its verdict."""
_NONE: Mapping[str, Path] = {}


@dataclass(frozen=True)
class Call:
    """What was asked for.

    Attributes:
        order, testbed: paths of the files; no testbed: the lab that is about to be built.
        profile: a name, or None for the default.
        robot: options for Robot, as typed after ``--``.
        recording: where what the gateway is asked and answers is recorded, if anywhere.
        studies: that are carried out alone, whatever the order names.
    """

    order: Path
    testbed: Path | None
    profile: str | None
    robot: tuple[str, ...] = ()
    recording: Path | None = None
    studies: tuple[str, ...] = ()


def run(call: Call, ending: Ending | None = None) -> int:
    """Activate one gateway.

    Args:
        call: what was asked for.
        ending: makes of the ended run's folder what is to be kept, and the verdict; certificate,
            results and record unless given.

    Returns:
        The exit code: 0 approved, 1 rejected, 2 not proven, 70 a fault of Gatepass itself.

    Raises:
        InputError: a mistake in the call or an input file; nothing was touched.
    """
    order, profile, chosen = _inputs(call)
    if call.studies:  # a study alone leaves nothing out
        chosen = replace(chosen, whole=chosen.checks)
    testbed = load_testbed(call.testbed)
    testbed.gateway.must_have_secrets()
    if key_made := signing_key.prepare():
        print(key_made, flush=True)
    with turns.joined(), namespace.inside(testbed.network_namespace, testbed.path):
        folder = _new_folder(order.order)
        room = _room(folder)
        print(plan.sentence(order, testbed, profile, chosen), flush=True)
        shortest, longest = plan.estimate_s(chosen, order, profile)
        with told(folder), recorded(call.recording, order, testbed, profile.name):
            tell("plan", **_subject(order), checks=chosen.checks, shortest_s=shortest,
                 longest_s=longest)
            inputs = Inputs(
                call.order, call.testbed, profile.name, call.robot, _studies(call, order)
            )
            closing = partial(_closed, ending or _certified, testbed)
            return _carry_out(inputs, folder, room, closing)


def _subject(order: Order) -> dict[str, str]:
    return {"order": order.order, "tier": order.tier, "customer": order.customer}


def _studies(call: Call, order: Order) -> tuple[str, ...]:
    return (*order.studies, *call.studies)


def _carry_out(inputs: Inputs, folder: Path, room: Room, ending: Callable[[Path], int]) -> int:
    trouble: Exception | None = None
    try:
        status = execute(inputs, folder)
    except KeyboardInterrupt:
        status = _STOPPED
    except Exception as error:  # of Robot itself, as where its output cannot be written
        status, trouble = _FAILED, error
    if room.is_all_that_is_left():  # Robot may say no more than that a file is closed
        trouble = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    room.give()
    with deaf():  # all that may be stopped is over; what is left takes seconds
        return _close(status, folder, trouble, ending)


def _room(folder: Path) -> Room:
    """Room for the run; without it its folder is not left behind."""
    try:
        return Room(folder)
    except InputError:
        with suppress(OSError):  # a fleet keeps something in it
            folder.rmdir()
        raise


def validated(call: Call) -> str:
    """Read everything that a call names; nothing is contacted.

    Returns:
        What was read, in a sentence.

    Raises:
        InputError: a mistake in the call or an input file.
    """
    order, profile, chosen = _inputs(call)
    where = ""
    if call.testbed:
        testbed = load_testbed(call.testbed)
        testbed.gateway.must_have_secrets()
        where = f" on testbed {testbed.testbed}"
    return (
        f"Valid: order {order.order} ({order.tier}){where}, profile {profile.name}, "
        f"{chosen.checks} of {chosen.whole} checks."
    )


def _inputs(call: Call) -> tuple[Order, NamedProfile, plan.Chosen]:
    """The inputs of a call that do not depend on where it is tested."""
    catalogue = load_catalogue(VARIABLES / "service_catalogue.yaml")
    profile = load_profile(VARIABLES / "profiles.yaml", call.profile)
    order = load_order(call.order, catalogue)
    load_published(VARIABLES / "published_results.yaml")
    load_provider(provider_file(call.testbed, VARIABLES))
    _robot_options(call.robot)
    if call.recording:
        must_be_new(call.recording)
    signing_key.must_sign()
    checks, chosen = plan.selected(SUITES, call.robot, _studies(call, order))
    sentences.must_be_sound(checks, SUITES)
    return order, profile, chosen


def _close(
    status: int, folder: Path, trouble: Exception | None, ending: Callable[[Path], int]
) -> int:
    """Undo what is left, and end the run; its exit code.

    Args:
        status: of Robot.
        folder: of the run.
        trouble: why Robot itself came to an early end.
        ending: see `run`.
    """
    undone = _undone(folder)
    if undone:
        print(f"Gatepass: {undone}", file=sys.stderr)
    try:
        return ending(folder)
    except (DataError, OSError) as error:
        return _cut_short(status, folder, trouble or error)


def _closed(ending: Ending, testbed: Testbed, folder: Path) -> int:
    """End a run, tell whoever is to be told, and give its exit code."""
    verdict = ending(folder)
    tell("ends", verdict=verdict)
    tell_of_the_end(folder, verdict, testbed.environment)
    return EXIT_CODES[verdict]


def _certified(folder: Path) -> str:
    """Certificate, the studies' pages, results, record, closing box; the verdict.

    Raises:
        DataError, OSError: there is no whole output, or no certificate can be written.
    """
    output = folder / OUTPUT
    outcome = certificate.write(output, folder / "certificate.html")
    pages = study.write(outcome, folder)
    pdf = certificate.write_pdf(outcome, folder / "certificate.html")
    changed = aftermath.keep(outcome, sha256(output.read_bytes()).hexdigest(), output, HISTORY)
    signed = aftermath.seal_and_sign(folder, outcome, outcome)
    print(closing_box(outcome, folder, pdf, changed, pages, signed), flush=True)
    return outcome.verdict


def _undone(folder: Path) -> str:
    """Undo what no check and no teardown has undone, as where Robot itself came to an early end.

    Returns:
        What became of it, in a sentence; empty where there was nothing to do.
    """
    if not left_changed(folder) and not left_on_endpoints(folder):
        return ""
    release_own()
    visits.release_own()
    return " ".join(
        f"{one.sentence}" if one.done else f"{one.sentence} Call ./run.sh restore {one.run}."
        for one in restore_all(results_of(folder), clean_endpoints, [str(folder)])
    )


def _cut_short(status: int, folder: Path, error: Exception) -> int:
    """What a user needs to know of a run that came to no report; its exit code."""
    if left_changed(folder):
        what = f"the gateway may be changed. Call ./run.sh restore {run_name(folder)}."
    else:
        what = "nothing of the run is left on the gateway."
    what = " ".join(filter(None, (what, left_on_endpoints(folder))))
    if getattr(error, "errno", None) == errno.ENOSPC:
        why = f"{folder.parent} is full"
    elif status == _STOPPED:
        why = "Stopped by a second signal"
    else:
        why = one_line(str(error), 200)
    print(f"{why}: there is no report, and {what}", file=sys.stderr)
    tell("ends", verdict=NOT_PROVEN)
    return EXIT_CODES[NOT_PROVEN]


def closing_box(
    outcome: Outcome,
    folder: Path,
    pdf: str,
    changed: str = "",
    pages: Mapping[str, Path] = _NONE,
    signed: str = "",
) -> str:
    """The verdict of the order, its reasons, and where everything lies.

    Args:
        outcome: of the run.
        folder: of the run.
        pdf: path of the printed certificate, or why there is none.
        changed: what changed since the gateway's run before, in a line; may be empty.
        pages: of the studies, by their names.
        signed: who has signed the run, in a line; may be empty.
    """
    counts = ", ".join(
        f"{outcome.count(verdict)} {verdict}"
        for verdict in ("pass", "fail", "not proven", "not applicable")
        if outcome.count(verdict)
    )
    order = outcome.run.get("order", {})
    subject = f"{order.get('order', '?')} ({order.get('tier', '?')}, {order.get('customer', '?')})"
    lines = [
        f"Order {subject}: {outcome.verdict.upper()}",
        f"{counts}; {outcome.elapsed_s:.0f} s",
        *(f"- {one_line(reason.sentence)}" for reason in reasons(outcome)[:8]),
    ]
    below = {
        "Certificate": folder / "certificate.html",
        "As PDF": pdf,
        "Report": folder / "report.html",
        **{f"Study {name}": page for name, page in pages.items()},
        **({"History": changed} if changed else {}),
        **({"Signed": signed} if signed else {}),
    }
    if left_changed(folder):
        lines.append(_left_changed(outcome, folder))
    if left := left_on_endpoints(folder):
        lines.append(left)
    if outcome.lab:
        lines.insert(1, "LAB: a stand-in, not a FortiGate; its figures are no FortiGate's.")
    return "\n" + boxed(lines, below)


def _left_changed(outcome: Outcome, folder: Path) -> str:
    """What a user has to do for a gateway that could not be put back."""
    serial = group(outcome.run, "gateway").get("serial") or "that was tested"
    left = outcome.restoration.left if outcome.restoration else ()
    what = f": {len(left)} objects of the run are left, {left[0]} is the first" if left else ""
    call = f"Call ./run.sh restore {run_name(folder)}"
    return f"The gateway {serial} is left changed{what}. {call}"


def _robot_options(words: tuple[str, ...]) -> None:
    """Look at them as Robot itself does: it takes shortened names, and any case.

    Raises:
        InputError: one is not for the user to set. What Robot does not know, `plan.selected` tells.
    """
    for word in words:  # Robot would put what the file holds in its place
        if word.startswith("-A") or word.lower().replace("-", "").startswith("argumentf"):
            raise InputError(f"after --: '{word[:60]}' is not taken. Write its options out here.")
    try:
        options, sources = RobotFramework().parse_arguments([*words, str(SUITES)])
    except Information:
        raise InputError("after --: no help is given here. Call `robot --help`.") from None
    except DataError as error:
        if "at least 1 argument" in str(error):  # the last option has swallowed the suites
            raise InputError(
                f"after --: '{words[-1][:60]}' needs a value. See `robot --help`."
            ) from None
        return
    for name in options:
        if name in _OURS:
            raise InputError(
                f"after --: '--{name}' is set by Gatepass itself. Allowed are options that choose "
                "or describe tests, such as --suite, --test, --include, --exclude."
            )
        if name in _INPUTS:
            raise InputError(
                f"after --: '--{name}' is not taken. Orders, testbeds and profiles are files; see "
                "docs/orders-and-testbeds.md."
            )
        if name in _MEDDLING:
            raise InputError(
                f"after --: '--{name}' is not taken, as the verdicts would not be Gatepass's own. "
                "Choose checks with --suite, --test, --include, --exclude."
            )
    level = options.get("loglevel", "DEBUG").partition(":")[0]
    if level.upper() not in _LOG_LEVELS:
        raise InputError(
            f"after --: with '--loglevel {level[:30]}' measurements and evidence would be lost. "
            f"Allowed are {', '.join(_LOG_LEVELS)}."
        )
    if len(sources) > 1:
        raise InputError(
            f"after --: '{sources[0][:60]}' is no option. Gatepass runs its own suites; choose "
            "among them with --suite or --test."
        )


def _new_folder(order: str) -> Path:
    """A folder below results/ that no other run has."""
    if given := os.environ.get(RUN_FOLDER):
        Path(given).mkdir(parents=True, exist_ok=True)
        return Path(given)
    return new_folder(after=f"-{order}")
