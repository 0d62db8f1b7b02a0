*** Settings ***
Name                IPv6
Documentation       The tier's rate over IPv6, which the customer gets as over IPv4, and hardly a loss.
Resource            ../../resources/firewall.resource

Test Tags           throughput    ipv6


*** Test Cases ***
One Policy, Over IPv6
    [Tags]    stateful
    Stateful Throughput Over IPv6 Meets The Tier    disable    client

With Address Translation, Over IPv6
    [Tags]    stateful
    Stateful Throughput Over IPv6 Meets The Tier    enable    gateway

Hardly Any Packet Is Lost Over IPv6
    [Tags]    loss
    Given One Policy Permits The Test Traffic Over IPv6
    And The Test Traffic Gets Through Over IPv6
    When Datagrams Are Sent At Three Quarters Of The Tier's Rate
    Then Hardly Any Should Be Lost
