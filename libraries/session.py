"""What the keyword libraries share in one run: inputs, gateway, endpoints, and what was recorded.

Gateway and endpoints are opened at first use, so that a lost one leaves the checks that do not
need it their say; what could not be opened gives the same reason to every check that asks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from robot.api import logger
from robot.errors import RobotError

from gatepass import record
from gatepass.errors import NotProven
from gatepass.explicit_proxy import ExplicitProxy
from gatepass.file_server import TestFiles
from gatepass.fortigate import FortiGate
from gatepass.identity import Identity, identify
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.judgement import Rule
from gatepass.rules import Flow, RuleSet
from gatepass.security import Inspection, SecurityProfiles
from gatepass.specimens import Specimen, specimens
from gatepass.testbed import FileServer
from gatepass.throughput import Trials
from gatepass.workspace import Workspace, connect, new_mark
from ssh_shell import SshShell, clean_endpoints


def once(make: Callable) -> property:
    """A property made at first use; a failure is kept as well, and told again each time."""

    @functools.wraps(make)
    def get(self: Session) -> object:
        kept = self.kept
        if make.__name__ not in kept:
            try:
                kept[make.__name__] = make(self)
            except RobotError:
                raise  # the run is being stopped, which says nothing about what was to be made
            except Exception as error:
                kept[make.__name__] = error
        if isinstance(kept[make.__name__], Exception):
            raise kept[make.__name__]
        return kept[make.__name__]

    return property(get)


class Session:
    """One run. There is one in a process: `session`."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}
        self.baselines: dict[str, Trials] = {}  # "before", "after": without the gateway
        self.noted: list[object] = []
        self.asserted = ""  # what the last AssertionError of one of our keywords said
        self.trials = 0
        self.conditions = ""  # what the next measurement varies, in words
        self.endpoint_facts: dict[str, dict] = {}
        self.folder = Path()
        self.mark = new_mark()

    def begin(self, order: str, testbed: str, profile: str, variables: Path, folder: Path) -> None:
        """Read the inputs; nothing is contacted yet.

        Args:
            order, testbed: paths of the files.
            profile: a name in ``profiles.yaml``; empty for the default.
            variables: the folder of the catalogue and the profiles.
            folder: of the run; exists.

        Raises:
            InputError: a file is wrong.
        """
        self.__init__()
        self.folder = folder
        catalogue = load_catalogue(variables / "service_catalogue.yaml")
        self.profile = load_profile(variables / "profiles.yaml", profile or None)
        self.order = load_order(order, catalogue)
        self.testbed = load_testbed(testbed)
        self.rule = Rule(
            self.profile.min_trials,
            self.profile.max_trials,
            self.profile.confidence,
            self.profile.sampling == "intervals",
        )

    @once
    def gateway(self) -> FortiGate:
        """The device under test."""
        return connect(self.testbed)

    @once
    def identity(self) -> Identity:
        """Who it is."""
        return identify(self.gateway, self.testbed.gateway.host)

    @once
    def workspace(self) -> Workspace:
        """The right to change it: the configuration is saved and the journal begun."""
        return Workspace.open(
            self.testbed, self.gateway, self.identity, self.folder, self.mark, clean_endpoints
        )

    @once
    def rules(self) -> RuleSet:
        """The test policies."""
        ends, ports = self.testbed.endpoints, self.testbed.gateway
        flow = Flow(
            ends.client.address, ends.server.address, ports.client_port, ports.server_port
        )
        return RuleSet(self.gateway, self.workspace.changes, flow)

    @once
    def client(self) -> SshShell:
        """The endpoint on the customer's side."""
        return self._endpoint("client")

    @once
    def server(self) -> SshShell:
        """The endpoint on the far side."""
        return self._endpoint("server")

    @once
    def file_server(self) -> FileServer:
        """What serves files on the server."""
        files = self.testbed.endpoints.server.files
        if files is None:
            raise NotProven(
                "the testbed names no file server. Set up HTTP, HTTPS and FTP on the server and "
                "add endpoints.server.files (see docs/orders-and-testbeds.md)."
            )
        return files

    @once
    def files(self) -> TestFiles:
        """The run's files on it."""
        return TestFiles(self.server, self.file_server.folder, self.mark)

    @once
    def specimens(self) -> dict[str, Specimen]:
        """What security services have to stop, and what not."""
        return specimens(self.mark, tuple(self.order.filtered_file_types))

    @once
    def inspection(self) -> Inspection:
        """The policy that inspects."""
        types = self.order.filtered_file_types
        profiles = SecurityProfiles(self.gateway, self.workspace.changes, types)
        return Inspection(self.rules, profiles)

    @once
    def proxy(self) -> ExplicitProxy:
        """The gateway's explicit web proxy."""
        return ExplicitProxy(self.gateway, self.workspace.changes, self.rules)

    def _endpoint(self, name: str) -> SshShell:
        shell = SshShell(name, getattr(self.testbed.endpoints, name), self.mark)
        shell.connect()
        return shell

    def has(self, name: str) -> bool:
        """Whether one of the above was opened and is there."""
        return name in self.kept and not isinstance(self.kept[name], Exception)

    def shells(self) -> list[SshShell]:
        """The endpoints that were opened."""
        return [self.kept[name] for name in ("client", "server") if self.has(name)]

    def promise(self, figure: str) -> float:
        """A figure of the ordered tier, such as "stateful_mbps".

        Raises:
            NotProven: there is no such figure, which is a mistake in a suite.
        """
        value = getattr(self.order.promise, figure, None)
        if value is None:
            raise NotProven(f"the catalogue has no figure {figure} for {self.order.tier}.")
        return float(value)

    def note(self, kind: str, content: object) -> None:
        """Write a record into the log, for the certificate, and keep it for the report."""
        self.noted.append(content)
        logger.info(record.dump(kind, content))

    def evidence(self, claim: str, observed: str, holds: bool) -> None:
        """Record an independent observation, and fail the check where it does not hold.

        Args:
            claim: what should be, the same words in every check.
            observed: what was seen, with figures.
            holds: whether it was so.

        Raises:
            AssertionError: it does not hold.
        """
        self.note("evidence", record.Evidence(claim, observed, holds))
        if not holds:
            raise AssertionError(f"{claim}: not so. {observed}")


session = Session()
