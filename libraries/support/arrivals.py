"""Downloads of specimens, through the gateway and without it."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.download import Download, FileSource, fetch
from gatepass.endpoint.specimens import Specimen
from gatepass.gateway.licences import must_be_licensed
from gatepass.scenarios.security.answers import Asked, SpecimenArrived
from support.check_context import CheckContext
from support.connections import must_be_reached
from support.policies import APPLY_S, decided_by
from support.run_context import RunContext


def specimen_of(run: RunContext, what: str) -> Specimen:
    """A specimen by its name.

    Raises:
        AssertionError: the gateway has no licence for what has to stop it.
    """
    specimen = run.specimens[what.lower()]
    if specimen.licence:
        must_be_licensed(run.gateway, [specimen.licence])
    return specimen


def must_arrive(check: CheckContext, what: str, protocol: str) -> None:
    """Have a specimen arrive byte for byte through the gateway, as evidence.

    Raises:
        AssertionError: it does not, although it does on the path without the gateway.
        NotProven: it does not there either, there is no such path, or an endpoint loses it.
    """
    run = check.run
    specimen = specimen_of(run, what)
    asked = ask(run, specimen, protocol, arrives=True)
    decided = ""
    if not asked.arrived:
        must_arrive_directly(run, specimen, protocol)
        must_be_reached(run, port_of(run, protocol))
        if asked.download.bytes != len(specimen.content):
            decided = decided_by(run, port_of(run, protocol))
    check.answered(SpecimenArrived(asked, bool(run.inspection.mode), decided))


def must_arrive_directly(run: RunContext, specimen: Specimen, protocol: str) -> None:
    """The control of what did not arrive through the gateway: without it, it does.

    Raises:
        NotProven: it does not, or there is no such path.
    """
    direct = run.testbed.endpoints.server.direct_address
    if not direct:
        raise NotProven(
            f"{specimen.name} does not arrive over {protocol}, and it cannot be determined "
            "whether the gateway is the cause. Give both endpoints a direct_address in the "
            "testbed file."
        )
    if not fetched(run, specimen, protocol, direct).is_copy_of(specimen.content):
        raise NotProven(
            f"{specimen.name} does not arrive over {protocol} on the path without the gateway "
            "either: do the web and FTP servers run on the server, and does nothing scan there?"
        )


def fetched(run: RunContext, specimen: Specimen, protocol: str, address: str) -> Download:
    """One download of a specimen from this address of the server."""
    port = port_of(run, protocol)
    source = FileSource(protocol.lower(), address, port, specimen.host, specimen.agent)
    path = run.files.path(specimen.file)
    return fetch(run.client, source, path, expected=specimen.content)


def ask(run: RunContext, specimen: Specimen, protocol: str, arrives: bool) -> Asked:
    """The first download that ends as it should, or the last one after the last change's time.

    FortiOS brings a change into force behind its answer, so the first one may come too soon.
    """
    address = run.testbed.endpoints.server.address
    kept: list[Asked] = []
    made_of = (run.mark, tuple(run.order.filtered_file_types))

    def look() -> bool:
        download = fetched(run, specimen, protocol, address)
        kept[:] = [Asked(specimen.name, protocol, *made_of, download)]
        return kept[0].arrived is arrives

    until(look, run.rules.in_force_within(APPLY_S))
    return kept[0]


def port_of(run: RunContext, protocol: str) -> int:
    """The server's port of a protocol: HTTP, HTTPS or FTP."""
    return getattr(run.file_server, f"{protocol.lower()}_port")

