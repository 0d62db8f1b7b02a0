*** Settings ***
Documentation       Addresses that the gateway translates, over IPv4: ports and addresses of hosts inside
...                 that are published outside (VIP, DNAT), and pools by which sources leave (SNAT). Hosts
...                 that the endpoints stand in for try all of it, before the rules are on the gateway,
...                 with them, and after they were removed; the far side tells what arrived, and from whom.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
A Published Port Leads To Its Host
    [Documentation]    One TCP and one UDP port of the gateway's outside address lead to another port of
    ...    a host inside; the policy permits all services, so that the published port alone narrows them.
    When The Edge Was Tried Before, With And After Its Rules
    Then The Published Port Should Have Led To Its Host
    And Nothing Beside The Published Port Should Have Been Published
    And The Published Port Should Have Led Nowhere Without Its Rules

A Published Address Leads To Its Host
    [Documentation]    A whole address of the outside network leads to a host inside; its policy permits
    ...    one TCP port.
    When The Edge Was Tried Before, With And After Its Rules
    Then The Published Address Should Have Led To Its Host
    And Nothing Beside The Published Address Should Have Been Published
    And The Published Address Should Have Led Nowhere Without Its Rules
    And Its Host's Own Connections Should Have Left By It

Sources Leave By Their Pool
    [Documentation]    Three hosts inside, by a pool of one address and a pool of two.
    When The Edge Was Tried Before, With And After Its Rules
    Then Every Source Should Have Left By Its Pool

Inside Hosts Reach A Published Port By Its Outside Address
    [Documentation]    Both hosts are behind the same port of the gateway (hairpin).
    When The Edge Was Tried Before, With And After Its Rules
    Then Hosts Inside Should Have Reached The Port By Its Outside Address
