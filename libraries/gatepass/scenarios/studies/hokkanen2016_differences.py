"""What differs from Hokkanen 2016 and from its rig."""

from __future__ import annotations

from gatepass.gateway.identity import Identity
from gatepass.inputs.profile import Profile
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies.hokkanen2016 import CONDITIONS, NAME

_SHORTER = (
    "Carried out with shorter trials than the source: a first answer. The profile standard has its "
    "own conditions."
)


def differences_table(
    name: str, profile: Profile, identity: Identity, inspected: str, shaper: str
) -> StudyTable:
    """How it was carried out here.

    Args:
        name: of the conditions.
        profile: with these applied.
        identity: of the gateway.
        inspected: how the order has it inspect, flow or proxy.
        shaper: that holds the client's traffic to the server, in words.
    """
    mib, number = profile.download_mib, profile.downloads
    if profile.sampling == "intervals":
        trials, samples = "one trial", "its reports are the samples"
    else:
        trials = f"{profile.min_trials} trials or more"
        samples = "repeated until the interval decides"
    rows = (
        ("Gateway", "FortiGate-VM 5.4.1 on Hyper-V, 1 vCPU, 2 GB",
         f"{identity.model} {identity.version}, {identity.vcpus or '?'} vCPUs, "
         f"{identity.memory_mb or '?'} MiB"),
        ("Trials of TCP", "900 s, 10 streams, a report each 10 s, once (chapter 6)",
         f"{profile.trial_s} s, {profile.streams} streams, a report each "
         f"{profile.interval_s:g} s; {trials}, {samples}"),
        ("Trials of TCP without a tunnel", "as above",
         f"with {CONDITIONS[name].plain.get('streams', profile.streams)} streams"),
        ("Tunnels", "as fast as it goes, once",
         "the same in one trial; held against the order's figure in others, which are paced"),
        ("Trials that the rig disturbs", "not looked at", "repeated, where the order has a figure"),
        ("Tool", "iperf3 3.1.3 and later, congestion control left to the system",
         "iperf3, cubic; each endpoint's version stands in the run's log"),
        ("Frames", "1518 bytes", "full segments of the path's MTU"),
        ("Rate limit", "none", f"{shaper}, for what the client sends to the server"),
        ("Policies", "1, 100 and 1000, and no others", "as many, above the customer's own"),
        ("Baselines", "two servers over 1 Gbit/s; two virtual machines of one",
         "the same two endpoints on a path beside the gateway"),
        ("Downloads", "a file of 1 GiB from ftp.funet.fi over the Internet, ten times",
         f"a file of {mib} MiB of random bytes from the server, {number} times or more"),
        ("Rate of a download", "as the FTP client tells it", "content by time, from curl"),
        ("Downloads beside the gateway", "from a physical server of the same laboratory",
         "from the client"),
        ("Security services",
         "antivirus by proxy, web filter, application control, IPS, as delivered (appendix 1)",
         f"the same profiles and a file filter, by {inspected}; that they inspect is shown "
         "before and after"),
        ("IPsec", "between two FortiGate-VMs of one host",
         "between the gateway and strongSwan on Linux: IKEv2, pre-shared key, perfect forward "
         "secrecy"),
        ("SSL VPN", "FortiClient 5.4.1 on a physical Windows server",
         "openconnect on the client; from FortiOS 7.6.3 on dial-up IPsec by strongSwan"),
        ("Reached", "no figure is held against another",
         "the order's: stateful throughput, throughput with services, and what it has for tunnels"),
        ("Web GUI", "nearly unusable from 100 policies on", "not looked at"),
    )  # fmt: skip
    shorter = "" if CONDITIONS[name] == CONDITIONS["whole"] else _SHORTER
    return StudyTable.of_differences(NAME, "Hokkanen 2016, chapters 5 and 6", rows, shorter)
