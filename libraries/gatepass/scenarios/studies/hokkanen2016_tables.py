"""The tables of Hokkanen 2016, its figures beside those that were found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from statistics import fmean

from gatepass.results.study import Cell, Column, Drawn, StudyTable, rounded
from gatepass.scenarios.studies.hokkanen2016 import (
    DOWNLOADS,
    LABELS,
    NAME,
    NAT,
    POLICIES,
    SSL_VPN,
    Found,
    Rate,
    percent_less,
)
from gatepass.scenarios.studies.hokkanen2016_published import (
    DOWNLOADS_MB,
    MB,
    PHYSICAL_MBPS,
    VIRTUAL_MBPS,
    Figures,
)

_table = partial(StudyTable.of, NAME)

_SCENARIOS = dict(zip(DOWNLOADS, (
    "Beside the gateway", "Through it, services off", "Through it, services on",
), strict=True))  # fmt: skip
_RATE = (
    Column("published", "Throughput", "Mbit/s", 0, "published"),
    Column("mbps", "TCP goodput", "Mbit/s", 1, "measured"),
    Column("half", "±", "Mbit/s", 1, "measured"),
    Column("trials", "Of", "trials", 0, "measured"),
)
_KNOWN = Column("known", "What is known")
_INTERVAL = (
    "± is half the width of the decision interval, where there are several samples and it is less "
    "than the rate itself."
)
_NOTHING = Rate(None)


def tables(found: Found, published: Figures, version: str) -> list[StudyTable]:
    """All of them, as far as it was measured.

    Args:
        found: so far.
        published: by the source.
        version: of the gateway's FortiOS.
    """
    return [
        _baselines(found.beside),
        _stateful(found.stateful, published),
        _downloads(found.downloads),
        _averages(found.averages),
        _tunnels(found.tunnels, published),
        _remote(found.remote, published, version),
        _costs(found, published),
    ]


def _baselines(beside: Rate | None) -> StudyTable:
    unlike = "no counterpart: one testbed has one pair of endpoints"
    return _table(
        "baselines", "Baselines", "Between the endpoints without the gateway.", "Tables 9 and 10",
        (Column("what", "Path"), *_RATE, _KNOWN),
        [
            {"what": "Server to server, 1 Gbit/s", "published": PHYSICAL_MBPS, "known": unlike},
            {"what": "VM to VM; here client to server", "published": VIRTUAL_MBPS,
             **_cells(beside or _NOTHING)},
        ],
        notes=(_INTERVAL,),
    )  # fmt: skip


def _stateful(found: Mapping[tuple[int, str], Rate], published: Figures) -> StudyTable:
    def row(policies: int) -> dict[str, Cell]:
        rates = {nat: found.get((policies, nat), _NOTHING) for nat in NAT}
        cells: dict[str, Cell] = {"policies": f"{policies} polic{'y' if policies == 1 else 'ies'}"}
        for nat, rate in rates.items():
            cells[f"published_{nat}"] = published.stateful.get((policies, nat))
            cells |= {f"{key}_{nat}": cell for key, cell in _cells(rate).items()}
        return cells | _joined(rates.values())

    titles = {"off": "No NAT", "on": "NAT"}
    return _table(
        "stateful", "Test 1: stateful throughput", "By number of policies, the last permits it.",
        "Table 11, figure 41",
        (
            Column("policies", "Test"),
            *(Column(f"published_{nat}", titles[nat], "Mbit/s", 0, "published") for nat in NAT),
            *(
                Column(f"{key}_{nat}", text.format(titles[nat]), unit, digits, "measured")
                for nat in NAT
                for key, text, unit, digits in (
                    ("mbps", "{}", "Mbit/s", 1), ("half", "±", "Mbit/s", 1),
                    ("trials", "Of", "trials", 0),
                )
            ),
            Column("held", "Held by"),
            _KNOWN,
        ),
        [row(policies) for policies in POLICIES],
        tuple(
            Drawn("bars", f"{titles[nat]}, by policies, Mbit/s", "policies", f"published_{nat}",
                  beside=f"mbps_{nat}")
            for nat in NAT
        ),
        (_INTERVAL,),
    )  # fmt: skip


def _downloads(found: Mapping[str, Sequence[float]]) -> StudyTable:
    each = {name: tuple(rate / MB for rate in found.get(name, ())) for name in DOWNLOADS}
    columns = [
        Column(f"{of}_{name}", _SCENARIOS[name], "MB/s", 2, of)
        for of in ("published", "measured")
        for name in DOWNLOADS
    ]
    several = [*DOWNLOADS_MB.values(), *each.values()]
    keys = [column.key for column in columns]
    return _table(
        "downloads", "Test 2: single FTP downloads", "In the order they were made.",
        "Tables 12 to 14",
        (Column("number", "Download"), *columns),
        [
            {"number": str(number), **dict(zip(keys, map(rounded, row), strict=True))}
            for number, row in enumerate(zip_longest(*several), 1)
        ],
        notes=("An MB is of 2^20 bytes, as in the source (its figure 35).",),
    )  # fmt: skip


def _averages(found: Mapping[str, Rate]) -> StudyTable:
    def row(name: str) -> dict[str, Cell]:
        rate, mb = found.get(name, _NOTHING), fmean(DOWNLOADS_MB[name])
        return {
            "what": _SCENARIOS[name],
            "published": rounded(mb),
            "published_mb": rounded(mb * 8),
            "measured": None if rate.mbps is None else rounded(rate.mbps / MB),
            **_cells(rate),
            **_joined([rate]),
        }

    return _table(
        "averages", "Test 2: FTP downloads on average", "One policy, NAT on.",
        "Tables 12 to 14, figure 42",
        (
            Column("what", "Downloads"),
            Column("published", "Average", "MB/s", 2, "published"),
            Column("published_mb", "Times 8", "Mb/s", 2, "published"),
            Column("measured", "Average", "MB/s", 2, "measured"),
            Column("mbps", "The same", "Mbit/s", 1, "measured"),
            Column("half", "±", "Mbit/s", 1, "measured"),
            Column("trials", "Of", "downloads", 0, "measured"),
            Column("held", "Held by"),
        ),
        [row(name) for name in DOWNLOADS],
        (Drawn("bars", "FTP downloads, MB/s", "what", "published", beside="measured"),),
        (
            "An Mb of the source is of 2^20 bits, so that its 635.84 Mb/s are 666.7 Mbit/s.",
            "± is half the width of the average's confidence interval; downloads that hang "
            "together, as by a rig that gets slower, count for fewer.",
        ),
    )  # fmt: skip


def _tunnels(found: Mapping[str, Rate], published: Figures) -> StudyTable:
    return _table(
        "tunnels", "Test 3: IPsec throughput", "One tunnel, from the client to a host behind it.",
        "Table 15, figure 43",
        (Column("what", "Encryption, authentication, group"), *_RATE, Column("held", "Held by"),
         _KNOWN),
        [_row(label, published.tunnels, found) for label in LABELS],
        (Drawn("bars", "IPsec by encryption, Mbit/s", "what", "published", beside="mbps"),),
        ("The source's text once says 218 for AES256; its table and figure have 318.",
         *_interval_of(found)),
    )  # fmt: skip


def _remote(found: Mapping[str, Rate], published: Figures, version: str) -> StudyTable:
    others = [way for way in found if way != SSL_VPN]
    none = f"FortiOS {version} has none any more: {', '.join(others)} is in its place"
    known = {SSL_VPN: Rate(None, known=none)} if others and SSL_VPN not in found else {}
    return _table(
        "remote", "Test 4: throughput of one remote user", "From the client to the server.",
        "Table 16, figure 44",
        (Column("what", "Way in"), *_RATE, Column("held", "Held by"), _KNOWN),
        [_row(way, published.remote, found | known) for way in (SSL_VPN, *others)],
        (Drawn("bars", "One remote user, Mbit/s", "what", "published", beside="mbps"),),
        _interval_of(found),
    )  # fmt: skip


def _costs(found: Found, published: Figures) -> StudyTable:
    """The source's comparisons, from its figures and from those here."""
    plain, full = (1, "off"), (POLICIES[-1], "on")
    strong, short = LABELS[0], LABELS[1]
    mb = {name: fmean(DOWNLOADS_MB[name]) for name in DOWNLOADS}
    beside = found.beside and found.beside.mbps
    rates = {
        "stateful": _of(found.stateful, full),
        "plain": _of(found.stateful, plain),
        "strong": _of(found.tunnels, strong),
        "short": _of(found.tunnels, short),
        "remote": _of(found.remote, SSL_VPN),
        "services": _of(found.averages, "on"),
        "no_services": _of(found.averages, "off"),
    }
    rows = (
        ("The gateway, with 1000 policies and NAT, than without it",
         published.stateful[full], VIRTUAL_MBPS, rates["stateful"], beside),
        ("1000 policies and NAT, than one policy and none",
         published.stateful[full], published.stateful[plain], rates["stateful"], rates["plain"]),
        ("FTP with security services, than without them",
         mb["on"], mb["off"], rates["services"], rates["no_services"]),
        (f"{strong}, than {short}",
         published.tunnels[strong], published.tunnels[short], rates["strong"], rates["short"]),
        ("SSL VPN, than without the gateway",
         published.remote[SSL_VPN], PHYSICAL_MBPS, rates["remote"], beside),
    )  # fmt: skip
    return _table(
        "costs", "What it costs", "By how much less is carried.", "Chapter 7",
        (
            Column("what", "Less with"),
            Column("published", "Less", "%", 1, "published"),
            Column("measured", "Less", "%", 1, "measured"),
        ),
        [
            {"what": what, "published": rounded(percent_less(rate, than), 1),
             "measured": rounded(percent_less(here, than_here), 1)}
            for what, rate, than, here, than_here in rows
        ],
        notes=("What a shaper holds, or the rig, tells less than it costs.",),
    )  # fmt: skip


def _row(what: str, published: Mapping[str, float], found: Mapping[str, Rate]) -> dict[str, Cell]:
    rate = found.get(what, _NOTHING)
    return {"what": what, "published": published.get(what), **_cells(rate), **_joined([rate])}


def _cells(rate: Rate) -> dict[str, Cell]:
    return {
        "mbps": rounded(rate.mbps),
        "half": rounded(rate.half_width) if _tells(rate) else None,
        "trials": rate.trials or None,
        "known": rate.known,
    }


def _tells(rate: Rate) -> bool:
    """Whether the interval says anything: a few uneven trials have one that goes below nothing."""
    return None not in (rate.mbps, rate.half_width) and rate.half_width < rate.mbps


def _joined(rates: Iterable[Rate]) -> dict[str, Cell]:
    """What is told of several rates at once, each once."""
    several = list(rates)
    return {
        "held": ", ".join(dict.fromkeys(one.held for one in several if one.held)),
        "known": "; ".join(dict.fromkeys(one.known for one in several if one.known)),
    }


def _of(found: Mapping, key: object) -> float | None:
    return found[key].mbps if key in found else None


def _interval_of(found: Mapping[str, Rate]) -> tuple[str, ...]:
    return (_INTERVAL,) * any(rate.half_width is not None for rate in found.values())
