*** Settings ***
Name                The tier's ceiling
Documentation       Where the order has a shaper, the customer gets the tier's rate and no more than
...                 it plus the burst allowance: the rate that is paid for, for everybody.
Resource            ../resources/firewall.resource

Test Template       The Ceiling Holds
Test Tags           ceiling    throughput


*** Test Cases ***                      TRAFFIC     OVER        DIRECTION
Downloads From The Client's View        TCP         IPv4        to the client
Uploads From The Client's View          TCP         IPv4        to the server
Uploads Over IPv6                       TCP         IPv6        to the server
An Overload Of Datagrams                UDP         IPv4        to the server
