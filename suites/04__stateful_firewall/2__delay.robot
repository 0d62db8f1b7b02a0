*** Settings ***
Name                Delay by size of the rule set
Documentation       Packets come in time whatever the size of the rule set: at half the tier's rate the
...                 gateway adds hardly any delay to them.
Resource            ../../resources/latency.resource

Test Template       The Rule Set Adds Hardly Any Delay
Test Tags           latency    load


*** Test Cases ***                  PACKETS    POLICIES
Small Packets, 1000 Policies        small      1000
Large Packets, 1000 Policies        large      1000
