*** Settings ***
Documentation       Packets of every kind are sent from behind each port of the gateway to behind each
...                 other one, over IPv4 and IPv6, and what arrives there is taken down. One port of
...                 each endpoint is permitted on each way; nothing else may arrive. Well-known ports
...                 are all below 1024 and a choice of others; trusted source ports are those of FTP
...                 data, DNS, DHCP, TFTP, Kerberos, NTP, IKE and SIP; neighbouring hosts are the first
...                 254 addresses of a network, but for those that somebody has.
Resource            ../../resources/firewall.resource

Test Template       Nothing Gets Through That No Policy Permits


*** Test Cases ***                                                      OF THESE
No Other TCP Port Lets A Connection Begin                               TCP Ports
No Other UDP Port Lets A Datagram Through                               UDP Ports
No Segment Without A Session Reaches A Well-Known Port                  Segments Without A Session
No Trusted Source Port Opens A Well-Known One                           Packets From Trusted Ports
No Other IP Protocol Gets Through                                       Other IP Protocols
No ICMP Message Of Any Type Gets Through                                ICMP Messages
No Fragment, Tiny Or Overlapping, Gets Through                          Fragments
No Source Route Or Option Opens A Way                                   Packets With Options
No Neighbouring Host, Broadcast Or Group Is Reached                     Packets To Neighbours
No Bogus Or Borrowed Source Gets Through                                Packets From Bogus Sources
No Neighbour Of A Permitted Service Gets Through                        Neighbours By One Bit
No Helper Of FTP, SIP Or TFTP Opens A Way Unasked                       Connections Of Helpers
