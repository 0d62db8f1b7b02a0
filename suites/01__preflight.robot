*** Settings ***
Name                Before the test
Documentation       Is this the gateway that was ordered, can it be managed safely, and is the test set-up
...                 ready? A figure from the wrong device, or over a broken path, is worth nothing.
Resource            ../resources/firewall.resource

Test Tags           preflight


*** Test Cases ***
The Gateway Is The One That Was Ordered
    [Tags]    api
    The Gateway Should Be The One That Was Ordered

The Firmware Fits The Order
    [Tags]    api
    The Firmware Should Fit The Order

The Licence Is Valid
    [Tags]    api
    The Licence Should Be Valid

The Ordered Services Are Licensed
    The Ordered Services Should Be Licensed

The Resources Fit The Order
    [Tags]    api
    The Resources Should Fit The Order

The Gateway Knows All That Will Be Set On It
    [Tags]    api
    The Gateway Should Know All That Will Be Set On It

The Gateway's Clock Is Right
    [Tags]    api
    The Gateway's Clock Should Be Right

The Gateway Is Ready
    [Documentation]    Its API user has the rights that the order takes, and no setting of the gateway
    ...    stands in the way of the test: zones, SD-WAN, central NAT and the like.
    [Tags]    api
    The Gateway Should Be Ready

The Management Plane Answers Over HTTPS Only
    The Management Plane Should Answer Over HTTPS Only

The Management Plane Speaks TLS 1.2 Or Later    # robocop: off=NAME01
    The Management Plane Should Refuse Old TLS

The Management Plane Presents The Pinned Certificate
    The Management Plane Should Present The Pinned Certificate

The Management Plane Refuses A Call Without A Token
    [Tags]    api
    The Management Plane Should Refuse A Call Without A Token

The Endpoints Are Ready
    All Endpoints Should Be Ready

The Endpoints' Clocks Agree
    All Clocks Should Agree

The Path Is Open Before Any Load
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    Then The Test Traffic Gets Through And The Server Sees The Client
