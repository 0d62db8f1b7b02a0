*** Settings ***
Documentation       The tier's rate, by size of the rule set, with and without address translation.
Resource            ../../resources/firewall.resource

Test Template       Stateful Throughput Meets The Tier
Test Tags           stateful    throughput


*** Test Cases ***                      POLICIES    NAT         THE SERVER SEES
One Policy, Without NAT                 1           disable     client
One Policy, With NAT                    1           enable      gateway
100 Policies, Without NAT               100         disable     client
100 Policies, With NAT                  100         enable      gateway
1000 Policies, Without NAT              1000        disable     client
1000 Policies, With NAT                 1000        enable      gateway
