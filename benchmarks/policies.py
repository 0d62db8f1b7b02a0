"""Throughput through the gateway with 1 to 5,000 policies, beside the same path without them.

Two labs stand side by side. In the second one all rules of the gateway are flushed, so that it is a
plain router: the same two hops, without policies, connection tracking or counters. The direct wire
between the endpoints has one hop less and is shown for comparison only. The trials of the three
paths take turns, so that all of them meet the same machine.
"""

from __future__ import annotations

from argparse import Namespace
from statistics import median

from benchmarks.bench_lab import labs
from benchmarks.table import show, spread
from gatepass.endpoint import iperf
from gatepass.results.trial import Load

COUNTS = (1, 100, 1000, 5000)
LOAD = Load(seconds=1.5, omit_s=0.5, streams=4)


def main(args: Namespace) -> None:
    """Interleaved trials of the three paths for each number of policies."""
    rows = []
    with (
        labs(2) as (lab, plain),
        lab.inside(),
        lab.endpoints() as (client, server),
        plain.endpoints() as (plain_client, plain_server),
    ):
        gateway = lab.gateway()
        lab.without_shaper(gateway)
        rules = lab.rules(gateway)
        plain.in_gateway("nft", "flush", "ruleset")
        far = lab.testbed.endpoints.server
        port = far.iperf3_port
        for count in COUNTS:
            rules.set(count, nat=False)
            through, router, direct = [], [], []
            for _ in range(args.times or 9):
                one = iperf.run(client, server, far.address, port, LOAD)
                through.append(one.mbps)
                one = iperf.run(plain_client, plain_server, far.address, port, LOAD)
                router.append(one.mbps)
                direct.append(iperf.run(client, server, far.direct_address, port, LOAD).mbps)
            pairs = [mine / other for mine, other in zip(through, router, strict=True)]
            rows.append(
                (
                    count,
                    spread(through, 0),
                    spread(router, 0),
                    spread(pairs),
                    f"{median(through) / median(router):.2f}",
                    f"{median(through) / median(direct):.2f}",
                )
            )
        gateway.close()
    show(
        (
            "policies",
            "gateway, Mbit/s",
            "plain router, Mbit/s",
            "ratio of each pair",
            "of the medians",
            "to the direct wire",
        ),
        rows,
    )
