*** Settings ***
Documentation       Connections beside the one that is permitted, in each direction.
Resource            ../../resources/firewall.resource

Test Template       Connections That No Policy Permits Are Blocked


*** Test Cases ***                                                      FROM      TO        OVER
Neighbouring TCP And UDP Ports Of The Server Are Blocked                client    server    IPv4
Two TCP And UDP Ports Of The Client Are Blocked                         server    client    IPv4
Two TCP And UDP Ports Of The Server Are Blocked Over IPv6               client    server    IPv6
Two TCP And UDP Ports Of The Client Are Blocked Over IPv6               server    client    IPv6
