"""The run itself: its beginning and its end."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from robot.errors import RobotError
from robot.libraries.BuiltIn import BuiltIn

import gatepass
from gatepass.base.errors import NotProven
from gatepass.base.paths import HISTORY, run_name
from gatepass.base.phrase import say
from gatepass.gateway import transport
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.shapers import in_use
from gatepass.history.earlier import earlier
from gatepass.history.store import HistoryTrouble
from gatepass.inputs.provider import load_provider, provider_file
from gatepass.inputs.published import load_published
from gatepass.proof import chain, kept_inputs
from gatepass.proof.folder import INPUTS, raw
from gatepass.results.planned import planned
from gatepass.results.record import Restoration
from gatepass.scenarios.planned_figures import figures_at_most
from gatepass.verdict.judgement import FIGURES
from support.guard import keyword, sentence
from support.keyword_library import KeywordLibrary
from support.robot_log import add_run_metadata, warn

ROOT = Path(__file__).resolve().parent.parent


class Run(KeywordLibrary):
    """Begins and ends a run: who is tested, and that the gateway is as it was."""

    @keyword()
    def begin_the_run(self, order: str, testbed: str, profile: str, folder: str) -> None:
        """Read order, testbed and profile, meet the gateway, and write down who is tested.

        Example: ``Begin The Run    ${ORDER}    ${TESTBED}    ${PROFILE}    ${RUN FOLDER}``

        Args:
            order: path of the order's file.
            testbed: path of the testbed's file.
            profile: name of a profile; empty for the default.
            folder: of the run's files.

        Raises:
            NotProven: an input file is wrong.
        """
        self.run.begin(order, testbed, profile, ROOT / "variables", Path(folder))
        files = Path(order), Path(testbed)
        decided = {} if transport.current.replayed else self._keep(*files)
        self._undo_killed_runs()
        self.run.plan = planned(ROOT / "suites", self.run.order.studies)
        self.run.figures = figures_at_most(ROOT / "suites", self.run.order)
        self.run.measure_by(self.run.profile)
        self.check.note("run", decided | self._facts(*files))
        if self.run.testbed.gateway.gui and not transport.current.replayed:
            self.gui.leave_open()

    def _undo_killed_runs(self) -> None:
        """Before anything else the gateway is to be as its customer knows it."""
        try:
            workspace = self.run.workspace
        except RobotError:
            raise  # the run is being stopped
        except Exception as error:  # told again to each check that would change the gateway
            warn(sentence(error))
            return
        for notice in workspace.notices:
            warn(notice)

    def _keep(self, order: Path, testbed: Path) -> dict[str, dict[str, str]]:
        """Keep what decides the run beside its results, and which runs were before it.

        Returns:
            What the record tells of it.
        """
        folder = self.run.folder
        try:
            chain.keep(folder)
            return {INPUTS: kept_inputs.keep(folder, order, testbed, ROOT / "variables")}
        except OSError as error:
            warn(f"What decides the run cannot be kept in {folder}: {error.strerror}")
            return {}

    def _tell_of_files(self) -> None:
        """Note the check sums of all that the run has collected, where it came to collect."""
        if not (self.run.folder / INPUTS).is_dir():
            return
        try:
            self.check.note("files", {"sha256": raw(self.run.folder)})
        except OSError as error:
            warn(f"What the run has collected cannot be read again: {error.strerror}")

    @keyword()
    def end_the_run(self) -> None:
        """Restore the gateway where no check has done so, and end what is left on the endpoints."""
        if self.run.has("workspace") and not self.run.workspace.changes.journal.closed:
            self._restored()
            self.run.workspace.changes.journal.release()
        self.run.rig.end()
        self.gui.close()
        for shell in self.run.shells():
            try:
                if shell.name == "server" and self.run.has("files"):
                    self.run.files.remove()
                shell.clean_up()
            except NotProven as lost:
                warn(str(lost))
            shell.close()
        if self.run.has("gateway"):
            self.run.gateway.close()
        self._tell_of_files()

    @keyword()
    def the_configuration_should_be_back_as_it_was(self) -> None:
        """Remove every object of the run and compare the configuration with the one saved before.

        Raises:
            AssertionError: something of the run is left, or the configuration differs.
            NotProven: the gateway cannot be asked any more.
        """
        restoration = self._restored()
        claim = say("restored")
        entries = self.run.workspace.changes.journal.entries
        if restoration.identical:
            objects = sum(len(entry.get("mkeys", [0])) for entry in entries)
            observed = f"{objects} objects removed; the configuration compares equal."
            self.check.evidence(claim, observed, True)
        elif restoration.others and not restoration.left:
            others = restoration.others
            raise NotProven(
                f"Somebody changed {len(others)} objects of the gateway while the test ran "
                f"({others[0]}). Nothing of the run is left; run again when nobody else changes "
                "the gateway."
            )
        elif restoration.left and self.run.gateway.forbidden:  # the rights of a user are the rig's
            call = f"Then call ./run.sh restore {run_name(self.run.folder)}."
            raise NotProven(f"{restoration.problem}. {call}")
        elif not (restoration.differences or restoration.left):
            gateway, run = self.run.gateway, run_name(self.run.folder)
            call = f" Call ./run.sh restore {run} when it answers again."
            raise NotProven(restoration.problem + call * bool(gateway.lost or gateway.other))
        else:
            self.check.evidence(claim, f"{restoration.problem}.", False)

    def _restored(self) -> Restoration:
        """The configuration is back as it was, as far as it is; noted."""
        restoration = self.run.restoration = self.run.workspace.restore()
        self.check.note("restoration", restoration)
        return restoration

    def _facts(self, order_file: Path, testbed_file: Path) -> dict:
        """Who is tested, against what, how; also as metadata of the report."""
        order, profile, testbed = self.run.order, self.run.profile, self.run.testbed
        provider = load_provider(provider_file(testbed_file, ROOT / "variables"))
        facts = {
            "run_id": run_name(self.run.folder),
            "started": datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
            "gatepass": gatepass.__version__,
            **kept_inputs.facts_of(order, profile),
            "testbed": {
                "name": testbed.testbed,
                "client_port": testbed.gateway.client_port,
                "server_port": testbed.gateway.server_port,
            },
            "plan": self.run.plan,
            FIGURES: self.run.figures,
            "published": load_published(ROOT / "variables/published_results.yaml").model_dump(),
            "provider": provider.facts() if provider else {},
            "call": {"order": _called(order_file), "testbed": _called(testbed_file)},
            "robot_arguments": shlex.split(
                BuiltIn().get_variable_value("${ROBOT ARGUMENTS}", "")
            ),
            "endpoints": {},
            **({"replayed": replayed} if (replayed := transport.current.replayed) else {}),
        }
        if not replayed:
            add_run_metadata("Certificate", "The page for the customer", "certificate.html")
        everything = "With measured, required and evidence"
        add_run_metadata("All checks", everything, "report.html#totals?all")
        shown = {
            **({"REPLAY": _no_acceptance(replayed)} if replayed else {}),
            "Order": f"{order.order}, {order.customer}",
            "Tier": f"{order.tier}, {order.service_level}",
            "Testbed": testbed.testbed,
            "Profile": f"{profile.name}: {profile.description}",
        }
        try:
            identity = self.run.identity
            facts["gateway"] = asdict(identity)
            facts["gateway_settings"] = self._settings()
            facts["earlier"] = self._earlier()
            shown["Gateway"] = (
                f"{identity.model} {identity.serial}, FortiOS {identity.version} "
                f"build {identity.build}"
            )
            if identity.serial.startswith("LAB"):
                shown["LAB"] = "A stand-in, not a FortiGate; its figures are no FortiGate's."
        except RobotError:
            raise
        except Exception as error:  # the first chapter says so; all else stands
            shown["Gateway"] = f"not reached: {sentence(error)}"
        for name, text in shown.items():
            add_run_metadata(name, text)
        return facts

    def _settings(self) -> dict:
        """What the gateway is set to that a later run's figures may differ by."""
        try:
            return {"shapers": [asdict(shaper) for shaper in in_use(self.run.gateway)]}
        except (GatewayLost, Refused, KeyError) as error:  # no check depends on it
            warn(f"The gateway's shapers are not known: {sentence(error)}")
            return {}


    def _earlier(self) -> list[dict]:
        """The runs before this one, as far as the record knows them, for the certificate."""
        if transport.current.replayed:
            return []
        try:
            return earlier(HISTORY, self.run.identity.serial, self.run.order.tier)
        except HistoryTrouble as trouble:  # told again at the end, where the run is to be added
            warn(f"Earlier runs are not known: {trouble}")
            return []


def _called(path: Path) -> str:
    """A file, for whoever calls again from the project's folder."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def _no_acceptance(replayed: str) -> str:
    return f"Of {replayed}. Nobody was asked, so this accepts nothing."
