*** Settings ***
Name                Delay by inspection
Documentation       What inspection adds to packets that it lets pass.
Resource            ../../resources/services.resource

Test Tags           latency    load


*** Test Cases ***
Inspection Adds Hardly Any Delay
    When Packets Are Sent While Security Services Inspect
    Then The Delay Should Keep Its Limit
