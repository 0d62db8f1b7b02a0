*** Settings ***
Documentation       The tier's rate over IPv6, which the customer gets as over IPv4, and hardly a loss.
Resource            ../../resources/firewall.resource

Test Tags           throughput    ipv6


*** Test Cases ***
One Policy, Over IPv6
    [Tags]    stateful
    Given One Policy Permits The Test Traffic Over IPv6
    And The Test Traffic Gets Through Over IPv6
    And Note What The Test Policy Has Counted
    When TCP Is Sent Through The Gateway About The Promise Of Stateful Throughput
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial
    And The Throughput Should Reach The Promise

Hardly Any Packet Is Lost Over IPv6
    [Tags]    loss
    Given One Policy Permits The Test Traffic Over IPv6
    And The Test Traffic Gets Through Over IPv6
    When Datagrams Are Sent At Three Quarters Of The Tier's Rate
    Then Hardly Any Should Be Lost
