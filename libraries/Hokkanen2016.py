"""Hokkanen 2016 on the gateway: the chapters' own trials under its conditions, and its tables."""

from __future__ import annotations

from functools import cached_property

from gatepass.base.errors import NotApplicable
from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import say
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.shapers import held
from gatepass.inputs.profile import NamedProfile
from gatepass.inputs.proposals import PROPOSALS, ProposalName
from gatepass.results.downloads import BESIDE, COMPARED, OFF
from gatepass.scenarios.studies import hokkanen2016 as study
from gatepass.scenarios.studies.hokkanen2016 import CITED, CONDITIONS, Found, Rate
from gatepass.scenarios.studies.hokkanen2016_differences import differences_table
from gatepass.scenarios.studies.hokkanen2016_published import Figures, figures
from gatepass.scenarios.studies.hokkanen2016_tables import tables
from gatepass.verdict.throughput import Trials
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.services_rate import Rates


class Hokkanen2016(KeywordLibrary):
    """Keywords of the study Hokkanen 2016."""

    _usual: NamedProfile | None = None

    @keyword("The Conditions Are Those Of Hokkanen 2016")
    def the_conditions_are_the_studys(self) -> None:
        """Whatever is measured in this check goes by them, and not by the profile."""
        self._usual = self._usual or self.run.profile
        self.run.measure_by(CONDITIONS[self._usual.studies].applied(self._usual))
        self.check.study = CITED

    @keyword("TCP goes as fast as it can")
    def tcp_goes_as_fast_as_it_can(self) -> None:
        """As in the source; not at a multiple of what is promised, as the profile may have it."""
        profile = self.run.profile
        asked = dict(CONDITIONS[profile.studies].plain)
        self.run.measure_by(profile.model_copy(update=asked))

    @keyword("The Conditions Are The Profile's Again")
    def the_conditions_are_the_profiles(self) -> None:
        """For the checks after this one."""
        if self._usual:
            self.run.measure_by(self._usual)
            self._usual = None

    @keyword()
    def tcp_has_been_sent_beside_the_gateway(self) -> None:
        """The source's baseline, once a run, where the testbed has such a path (tables 9, 10)."""
        if self._found.beside:
            return
        beside = self.runner.server_directly()
        if beside is None:
            self._found.beside = Rate(None, known="the testbed names no direct_address")
            return
        load, rule = self.runner.load(), self.run.rule
        made = tuple(self.runner.one(load, beside) for _ in range(rule.min_trials))
        trials = Trials(made, rule, load.layer)
        value, known = trials.interval, study.by_rig_in(trials)
        self._found.beside = Rate(value.mean, value.half_width, len(trials.trials), known=known)

    @keyword("A tunnel of the study with ${name} is up")
    def a_tunnel_of_the_study_is_up(self, name: ProposalName) -> None:
        """One tunnel that the peer brings up, whether the order asks for its encryption or not.

        Example: ``A Tunnel Of The Study With 3des-sha1-dh2 Is Up``

        Raises:
            NotApplicable: the gateway takes none like this, and the order does not ask for it.
            AssertionError: it does not come up.
        """
        proposal, vpn = PROPOSALS[name], self.run.site_vpn
        try:
            vpn.configure(vpn.new(proposal))
        except Refused as refused:
            known = f"the gateway no longer accepts such a tunnel: {refused}"
            self._found.tunnels[proposal.label] = Rate(None, known=known)
            self._tell()
            if name in self.run.order.vpn.ipsec:
                raise
            why = say("not_taken", label=proposal.label, words=str(refused))
            raise NotApplicable(why) from refused
        vpn.raise_one(vpn.current, self.run.client)

    @keyword()
    def the_rate_is_told_beside_the_published_one(self) -> None:
        """What was measured last, as fast as it went, in the source's table of it."""
        held_to = self.check.measurement
        fastest = study.as_fast_as_it_goes(self.check.noted, held_to)
        if fastest is held_to:
            by_rig = study.by_rig_in(self.check.trials)
        else:
            by_rig = str(fastest.facts.get("by_rig", ""))
        shaper = str(held_to.facts.get("shaper") or self._held)
        beside = self._found.beside if held_to.promise == "stateful_throughput" else None
        self._found.keep(fastest, study.told(fastest, by_rig, shaper, beside))
        self._tell()

    @keyword()
    def the_downloads_are_told_beside_the_published_ones(self) -> None:
        """Each of them, and their averages (tables 12 to 14)."""
        rates = self.check.left(Rates).rate
        made = {
            "beside": [*rates.of(BESIDE), *rates.of(COMPARED)],
            "off": rates.of(OFF),
            "on": self.check.measurement.trials,
        }
        self._found.keep_downloads(made, self.run.profile.confidence, self._held)
        self._tell()

    # -- helpers -----------------------------------------------------------------------------

    @cached_property
    def _found(self) -> Found:
        """What was found in the checks so far."""
        return Found()

    @cached_property
    def _published(self) -> Figures:
        return figures(VARIABLES / "published_results.yaml")

    @cached_property
    def _held(self) -> str:
        ports = self.run.testbed.gateway
        return str(held(self.run.gateway, ports.client_port, ports.server_port))

    def _tell(self) -> None:
        """The tables as far as they go; those of a later check take their place."""
        run = self.run
        told = tables(self._found, self._published, run.identity.version)
        told.append(
            differences_table(
                run.profile.studies, run.profile, run.identity, run.order.inspection_mode,
                self._held,
            )
        )  # fmt: skip
        for table in told:
            self.check.note("study", table.as_json(), aside=True)

