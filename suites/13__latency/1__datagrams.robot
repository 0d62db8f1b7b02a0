*** Settings ***
Documentation       Probes beside datagrams at a share of the tier's rate, through the gateway and, at
...                 the same time, without it. What is held against the limit is what the gateway adds
...                 to 99 of 100 packets.
Resource            ../../resources/latency.resource

Test Template       The Gateway Adds Hardly Any Delay


*** Test Cases ***                                      PACKETS    OVER    SENT
Small Packets Over IPv4, At Rest                        small      IPv4    at rest
Large Packets Over IPv4, At Rest                        large      IPv4    at rest
Small Packets Over IPv6, At Rest                        small      IPv6    at rest
Large Packets Over IPv6, At Rest                        large      IPv6    at rest
Small Packets Over IPv4, At Half The Tier's Rate        small      IPv4    at half the tier's rate
Large Packets Over IPv4, At Half The Tier's Rate        large      IPv4    at half the tier's rate
Small Packets Over IPv6, At Half The Tier's Rate        small      IPv6    at half the tier's rate
Large Packets Over IPv6, At Half The Tier's Rate        large      IPv6    at half the tier's rate
Small Packets Over IPv4, At The Tier's Rate             small      IPv4    at the whole of the tier's rate
Large Packets Over IPv4, At The Tier's Rate             large      IPv4    at the whole of the tier's rate
Small Packets Over IPv6, At The Tier's Rate             small      IPv6    at the whole of the tier's rate
Large Packets Over IPv6, At The Tier's Rate             large      IPv6    at the whole of the tier's rate
Small Packets Over IPv4, In An Overload                 small      IPv4    in an overload
Large Packets Over IPv4, In An Overload                 large      IPv4    in an overload
Small Packets Over IPv6, In An Overload                 small      IPv6    in an overload
Large Packets Over IPv6, In An Overload                 large      IPv6    in an overload
