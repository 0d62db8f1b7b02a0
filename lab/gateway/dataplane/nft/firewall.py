"""The firewall part: loads the rule set in one transaction and keeps the counters."""

from __future__ import annotations

from collections.abc import Callable, Container

from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft import inspection as inspection_rules
from lab.gateway.dataplane.nft import nft
from lab.gateway.dataplane.nft.rules import BASE_CHAINS, PLAIN_CHAINS, Ruleset, render
from lab.gateway.dataplane.nft.shaping import ShaperClasses

_COUNTED_SETS = ("hits", "traffic")
BANNED = {4: ("banned4", "ipv4_addr"), 6: ("banned6", "ipv6_addr")}
"""By IP version the set of hosts that are cut off; the kernel ends each at its time."""
_FIXED_SETS = {*_COUNTED_SETS, *(name for name, _kind in BANNED.values())}
_TABLE = nft.FAMILY_AND_TABLE

# `hits` counts the packets that a policy was chosen for (one a session), `traffic` all that follow
# in either direction, by the mark of the session. The kernel adds a mark to a set when it first
# counts for it. Both sets outlive every change of the rules, and this process.
_FRAME = [
    f"add table {_TABLE}",
    *(
        f"add set {_TABLE} {name} {{ typeof ct mark; size 262144; flags dynamic; counter; }}"
        for name in _COUNTED_SETS
    ),
    *(
        f"add set {_TABLE} {name} {{ type {kind}; flags timeout; }}"
        for name, kind in BANNED.values()
    ),
    *(f"add map {_TABLE} {name} {text}" for name, text in inspection_rules.MAPS.items()),
]


class Firewall:
    """Policies, address translation, local-in, shaper marks and counters, as one nft table."""

    share = ()

    def __init__(self, inspector_ports: Callable[[], tuple[int, int]]) -> None:
        """Args: inspector_ports: tells where the inspector listens, for IPv4 and IPv6."""
        self._loaded: Ruleset | None = None
        self._inspector_ports = inspector_ports

    def apply(self, intent: Intent) -> None:
        """Put the intent's rules in force, all at once."""
        if self._loaded is None:
            self._loaded = _found_in_kernel()
        rules = render(intent, ShaperClasses.of(intent), self._inspector_ports())
        text = transaction(self._loaded, rules)
        if not self._loaded.marks <= rules.marks:
            text += _deletions(lambda mark: mark not in rules.marks)
        nft.load(text)
        self._loaded = rules

    def counters(self) -> dict[int, tuple[int, int, int]]:
        """Of each mark: sessions let in or denied, packets, bytes (both directions)."""
        hits, traffic = (nft.counters(name) for name in _COUNTED_SETS)
        found = {}
        for mark in hits.keys() | traffic.keys():
            first, first_bytes = hits.get(mark, (0, 0))
            packets, octets = traffic.get(mark, (0, 0))
            found[mark] = (first, first + packets, first_bytes + octets)
        return found

    def clear_counters(self, marks: Container[int]) -> None:
        """Set the counters of some marks back to zero."""
        nft.load(_deletions(lambda mark: mark in marks))

    def ban(self, version: int, address: str, seconds: int) -> None:
        """Cut a host off, for so many seconds or for good (0)."""
        self.lift(version, address)
        until = f" timeout {seconds}s" if seconds else ""
        nft.load(f"add element {_TABLE} {BANNED[version][0]} {{ {address}{until} }}\n")

    def lift(self, version: int, address: str) -> None:
        """Let a host in again; one that is not cut off is fine."""
        element = f"element {_TABLE} {BANNED[version][0]} {{ {address} }}\n"
        nft.load(f"add {element}delete {element}")

    def close(self) -> None:
        """Remove the table."""
        nft.load(f"add table {_TABLE}\ndelete table {_TABLE}\n")
        self._loaded = None


def transaction(old: Ruleset, new: Ruleset) -> str:
    """The commands that turn one rule set into another; what both have is left alone."""
    lines = [*_FRAME]
    for name in new.base:
        hook = BASE_CHAINS.get(name)
        lines.append(f"add chain {_TABLE} {name}" + (f" {{ {hook} }}" if hook else ""))
        lines.append(f"flush chain {_TABLE} {name}")
    lines += [
        f"add set {_TABLE} {name} {text}" for name, text in new.sets.items() if name not in old.sets
    ]
    lines += [
        f"add ct timeout {_TABLE} {name} {text}"
        for name, text in new.timeouts.items()
        if name not in old.timeouts
    ]
    chains = {name: rules for name, rules in new.chains.items() if name not in old.chains}
    # Every chain before any rule, so that rules may lead to each other's chains.
    lines += [f"add chain {_TABLE} {name}" for name in chains]
    lines.append(f"table {_TABLE} {{")
    for name, rules in (chains | new.base).items():
        lines += [f"chain {name} {{", *rules, "}"]
    lines.append("}")
    gone = [name for name in old.chains if name not in new.chains]
    lines += [f"flush chain {_TABLE} {name}" for name in gone]
    lines += [f"delete chain {_TABLE} {name}" for name in gone]
    lines += [f"delete set {_TABLE} {name}" for name in old.sets if name not in new.sets]
    gone = [name for name in old.timeouts if name not in new.timeouts]
    lines += [f"delete ct timeout {_TABLE} {name}" for name in gone]
    return "\n".join(lines) + "\n"


def _deletions(chosen: Callable[[int], bool]) -> str:
    """Commands that delete the counters of the marks chosen, of those that have any."""
    lines = []
    for name in _COUNTED_SETS:
        marks = ", ".join(str(mark) for mark in nft.counters(name) if chosen(mark))
        if marks:
            lines.append(f"delete element {_TABLE} {name} {{ {marks} }}\n")
    return "".join(lines)


def _found_in_kernel() -> Ruleset:
    """What an earlier process of this gateway left in force, by name."""
    if not nft.table_exists():
        return Ruleset()
    fixed = {*BASE_CHAINS, *PLAIN_CHAINS}
    return Ruleset(
        chains={name: [] for name in nft.names("chain") - fixed},
        sets={name: "" for name in nft.names("set") - _FIXED_SETS},
        timeouts=dict.fromkeys(nft.timeouts(), ""),
        marks=frozenset(nft.counters("hits")) | frozenset(nft.counters("traffic")),
    )
