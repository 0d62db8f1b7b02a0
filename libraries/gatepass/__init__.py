"""Gatepass: decides whether a customer's virtual firewall may be handed over.

Plain Python that knows nothing of Robot Framework: order, testbed, catalogue, profile, REST
client, trials, statistics, verdict, certificate and command line.
"""

__version__ = "0.2.0"
