*** Settings ***
Name                The test set-up after
Documentation       What the test set-up carries without the gateway after the gateway's checks. If it
...                 drifted in between, the figures of the checks are in doubt.
Resource            ../resources/gatepass.resource

Test Tags           baseline    throughput


*** Test Cases ***
The Rig Has Not Drifted
    When The Path Without The Gateway Is Measured After The Gateway's Checks
    Then The Rig Should Not Have Drifted
