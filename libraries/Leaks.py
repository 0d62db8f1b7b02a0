"""What gets through the gateway, or is answered by it, although nothing permits it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from robot.api import logger

from gatepass.base.phrase import say
from gatepass.gateway.own_services import OwnServices
from gatepass.report.failure_exchanges import packets_in
from gatepass.scenarios.leaks.answers import LeakScan
from gatepass.scenarios.leaks.kinds import ADDRESSES, OWN
from gatepass.scenarios.leaks.ways import INTERFACES, addresses_of
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import decided_about

if TYPE_CHECKING:
    from gatepass.scenarios.leaks.findings import Findings, Found

_PORTS = (6, 17)


class Leaks(KeywordLibrary):
    """Keywords about the scan of all ways between the gateway's ports."""

    @keyword()
    def packets_of_every_kind_were_sent_between_all_ports(self) -> None:
        """Each endpoint sends, and each takes down what arrives; once a run.

        On each way between two ports one TCP and UDP port of one endpoint is permitted, over IPv4
        and IPv6. Permitted datagrams pass between the others all the while. All packets pass on the
        path beside the gateway first.

        Raises:
            NotProven: an endpoint cannot send or capture, a router stands between, or there is no
                path without the gateway.
        """
        if not self.run.has("leaks"):
            self.run.stop_responders()
        scanned = self.run.leaks.scanned
        logger.info(
            f"{sum(scanned.sent.values()):,} packets in {scanned.seconds:.1f} s at up to "
            f"{scanned.pace:,.0f} a second from each endpoint; {scanned.controls:,} permitted ones "
            f"between them; {scanned.cpu_s:.1f} s of processor time on the endpoints."
        )

    @keyword("None of the ${packets} should have got through")
    def none_should_have_got_through(self, packets: words.Packets) -> None:
        """None of the packets of this kind arrived at any endpoint, but for what a policy permits.

        Example: ``None Of The Fragments Should Have Got Through``

        What arrived is listed by packet, and kept as leaks/KIND.csv and as a capture in the run's
        folder.

        Args:
            packets: what was sent.

        Raises:
            AssertionError: one arrived that no policy permits.
            NotProven: permitted packets around them got lost, or a policy cannot be read whole.
        """
        kind = words.PACKETS[packets]
        findings = self.run.leaks
        found = findings.of(kind)
        told = self._told(kind, found) if found.leaks else ""
        if not found.leaks:
            findings.must_be_proven(kind)
        self.check.answered(_scan(findings, kind, found, told))

    @keyword()
    def the_gateway_itself_should_have_answered_only_where_it_was_told_to(self) -> None:
        """Its own addresses answer on the ports that its configuration opens, and no others.

        Every TCP and UDP port of its address on each endpoint's side is tried, and a choice of them
        of all its other addresses. It may be managed where the order says so
        (`gateway.management_ports`) and on the port that has the testbed's management address.

        Raises:
            AssertionError: another port answers, or it may be managed where that was not ordered.
            NotProven: permitted packets around the tries got lost.
        """
        findings = self.run.leaks
        wrong, right = self._answers(findings)
        leaks = findings.of(OWN)
        if not (wrong or leaks.leaks):
            findings.must_be_proven(OWN)
        seen = "; ".join(right) or "nothing"
        told = "; ".join(wrong) or "nothing else answered"
        if leaks.leaks:
            told += f"; {leaks.listed} got through"
        tried = f"{findings.sent(OWN):,} packets were sent to its own addresses, from each side"
        self.check.evidence(
            say("own_answers"),
            f"{tried}. By its configuration it answers: {seen}. {told[0].upper()}{told[1:]}.",
            not (wrong or leaks.leaks),
        )

    # -- helpers -----------------------------------------------------------------------------

    def _answers(self, findings: Findings) -> tuple[list[str], list[str]]:
        """What answered and should not have; what answered and may."""
        services = OwnServices(self.run.gateway)
        rows = {str(row.get("name")): row for row in self.run.gateway.rows(INTERFACES)}
        own = {text for row in rows.values() for texts in addresses_of(row).values()
               for text in texts}
        managed = self._managed_on(rows)
        wrong, right = [], []
        for plan in findings.scanned.plans:
            side = plan.side
            for address, answers in findings.scanned.answers.get(side.name, {}).items():
                if address not in own:
                    continue
                open_here = services.on(rows[side.port], ip_address(address).version)
                where = f"of {address} from the {side.name}'s side"
                for port in sorted(answers.get("SYN+ACK", ())):
                    service = open_here.get(port)
                    if service is None:
                        wrong.append(f"TCP port {port} {where} answers, which nothing configures")
                    elif service.management and side.port not in managed:
                        wrong.append(
                            f"it can be managed by {service.name} on TCP port {port} {where} "
                            f"(allowaccess of {side.port}), where the order has no management"
                        )
                    else:
                        right.append(f"{service.name} on TCP port {port} {where}")
                wrong += [
                    f"UDP port {port} {where} answers" for port in sorted(answers.get("UDP", ()))
                    if port != 53 or 53 not in open_here
                ]
        return wrong, right

    def _managed_on(self, rows: dict) -> set[str]:
        """The interfaces on which the gateway may be managed."""
        host = self.run.testbed.gateway.host
        return {
            name for name, row in rows.items()
            if any(host in texts for texts in addresses_of(row).values())
        } | set(self.run.order.gateway.management_ports)

    def _told(self, kind: str, found: Found) -> str:
        """What got through, where all of it is kept, and what the gateway's look-up says."""
        folder = self.run.folder / "leaks"
        folder.mkdir(exist_ok=True)
        listed, attached = folder / f"{kind}.csv", self.check.attached
        listed.write_text(found.as_csv(kind))
        attached.append((listed, "each packet that arrived, with where it came from"))
        for name, capture in self.run.leaks.scanned.captures.items():
            if capture:
                file = folder / f"{name}.pcap"
                file.write_bytes(capture)
                told = f"{packets_in(file):,} packets that arrived at the {name}, for Wireshark"
                attached.append((file, told))
        findings, first = self.run.leaks, found.leaks[0]
        met = first.plan.as_met(first.number, first.at.port)
        decides = (
            f" {decided_about(self.run, met)}" if met.protocol in _PORTS and met.target_port else ""
        )
        return (
            f"Of {findings.sent(kind):,} packets these arrived: {found.listed}. "
            f"leaks/{kind}.csv lists them, leaks/{first.at.name}.pcap has what arrived.{decides}"
        )


def _scan(findings: Findings, kind: str, found: Found, told: str) -> LeakScan:
    """What was sent of a kind, and what became of it."""
    scanned, sorts = findings.scanned, findings.sorts(kind)
    unseen = ""
    if kind == ADDRESSES and scanned.busy:
        unseen = (
            f"{len(scanned.busy)} addresses belong to other hosts ({min(scanned.busy)}, …): what "
            "came to them was not seen."
        )
    return LeakScan(
        kind,
        findings.sent(kind),
        f"{findings.ways(kind)} ways over {findings.protocols}: {sorts}",
        len(found.leaks),
        told,
        found.permitted,
        found.unclear,
        scanned.controls,
        findings.beside,
        unseen,
    )
