*** Settings ***
Name                The test set-up before
Documentation       What the test set-up itself carries without the gateway in the path, measured before the
...                 gateway's checks. Without it a slow set-up could not be told from a slow gateway.
Resource            ../resources/gatepass.resource

Test Tags           baseline    throughput


*** Test Cases ***
The Rig Carries The Tier Without The Gateway
    When The Path Without The Gateway Is Measured Before The Gateway's Checks
    Then The Rig Should Carry The Tier
