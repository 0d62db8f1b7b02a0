*** Settings ***
Name                Handover
Documentation       The gateway is the customer's: everything that the tests put on it is gone,
...                 and its configuration is what it was before. A test that leaves a policy
...                 behind leaves a hole in the customer's firewall.
Resource            ../resources/gatepass.resource

Test Tags           handover


*** Test Cases ***
Nothing Is Left Running On The Endpoints
    Nothing Should Be Left On The Endpoints

The Configuration Is Back As It Was
    [Tags]    api
    The Configuration Should Be Back As It Was
