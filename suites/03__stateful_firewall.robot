*** Settings ***
Documentation       The gateway carries the throughput that the customer bought, whatever the size
...                 of the rule set, with and without address translation. Everybody behind a
...                 gateway that is slower than ordered waits for every page and every file.
Resource            ../resources/firewall.resource

Test Template       Stateful Throughput Meets The Tier
Test Tags           stateful    throughput


*** Test Cases ***                      POLICIES    NAT         THE SERVER SEES
One Policy, Without NAT                 1           disable     client
One Policy, With NAT                    1           enable      gateway
100 Policies, Without NAT               100         disable     client
100 Policies, With NAT                  100         enable      gateway
1000 Policies, Without NAT              1000        disable     client
1000 Policies, With NAT                 1000        enable      gateway

Hardly Any Packet Is Lost
    [Tags]    -stateful    loss
    [Template]    NONE
    Given The Test Traffic Is Permitted
    When Datagrams Are Sent At Three Quarters Of The Tier's Rate
    Then Hardly Any Should Be Lost
