"""All keywords of Gatepass in one library, composed of the parts that lie beside it."""

from __future__ import annotations

from robot.api.deco import library
from robotlibcore import DynamicCore

from ApplicationLoads import ApplicationLoads
from Bazzi2011 import Bazzi2011
from Berg2005 import Berg2005
from Countries import Countries
from CustomerFlows import CustomerFlows
from CustomerRules import CustomerRules
from Decusatis2014 import Decusatis2014
from Decusatis2014Tunnels import Decusatis2014Tunnels
from Dhcp import Dhcp
from Downloads import Downloads
from Endpoints import Endpoints
from FailClosed import FailClosed
from Floods import Floods
from Gateway import Gateway
from Hokkanen2016 import Hokkanen2016
from HostFilters import HostFilters
from Latency import Latency
from LatencyBesideTcp import LatencyBesideTcp
from LatencyThrough import LatencyThrough
from Leaks import Leaks
from LocalIn import LocalIn
from Management import Management
from ManagementGui import ManagementGui
from ManyTunnels import ManyTunnels
from PacketFilters import PacketFilters
from Provisioning import Provisioning
from Proxy import Proxy
from Quarantine import Quarantine
from RemoteAccess import RemoteAccess
from RemoteTraffic import RemoteTraffic
from Restarts import Restarts
from Rfc2544 import Rfc2544
from Rfc6349 import Rfc6349
from Run import Run
from ServiceObjectives import ServiceObjectives
from Services import Services
from SessionTable import SessionTable
from SessionTimes import SessionTimes
from SiteToSite import SiteToSite
from support.keyword_library import Context
from Traffic import Traffic
from Translation import Translation
from TunnelLife import TunnelLife

PARTS = (
    *(Run, Management, CustomerRules, CustomerFlows, Gateway, Endpoints, Leaks, Traffic, Services),
    *(Quarantine, Floods, Dhcp, HostFilters, Translation, LocalIn, SessionTimes),
    *(PacketFilters, FailClosed, SessionTable, Restarts),
    *(Latency, LatencyBesideTcp, LatencyThrough),
    *(Downloads, ApplicationLoads, Countries, Proxy),
    *(SiteToSite, ManyTunnels, TunnelLife, RemoteAccess, RemoteTraffic, Provisioning),
    *(ManagementGui, ServiceObjectives, Rfc2544, Rfc6349, Bazzi2011, Berg2005, Hokkanen2016),
    *(Decusatis2014, Decusatis2014Tunnels),
)


@library(scope="GLOBAL", doc_format="ROBOT")
class Gatepass(DynamicCore):
    """Acceptance of a gateway: what it is told, what is sent, what is seen, and what that proves.

    Attributes:
        context: handed to each part: this run, and the check that runs now.
    """

    def __init__(self) -> None:
        self.context = Context()
        super().__init__([part(self.context) for part in PARTS])
