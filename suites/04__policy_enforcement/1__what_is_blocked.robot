*** Settings ***
Documentation       Packets of every kind are sent from behind each port of the gateway to behind each
...                 other one, over IPv4 and IPv6, and what arrives there is taken down. One port of
...                 each endpoint is permitted on each way; nothing else may arrive.
Resource            ../../resources/firewall.resource

Test Template       Nothing Gets Through That No Policy Permits


*** Test Cases ***                                                  OF THESE
No Other TCP Port Lets A Connection Begin                           TCP Ports
No Other UDP Port Lets A Datagram Through                           UDP Ports
No TCP Segment Gets Through Without A Session                       Segments Without A Session
No Source Port Opens A Way                                          Packets From Trusted Ports
No Other IP Protocol Gets Through                                   Other IP Protocols
No ICMP Message Gets Through                                        ICMP Messages
No Fragment Gets Through                                            Fragments
No Packet Finds A Way By Its Options                                Packets With Options
No Other Address Of A Network Is Reached                            Packets To Other Addresses
No Packet From A Forged Source Gets Through                         Packets From Forged Sources
No Neighbour Of A Permitted Service Gets Through                    Neighbours By One Bit
No Helper Opens A Way That Nobody Asked For                         Connections Of Helpers
