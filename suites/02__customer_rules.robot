*** Settings ***
Name                The customer's own rules
Documentation       The customer's own policies as they were delivered, before anything of this test is
...                 put beside them. They are read first: what is looked for shows in no traffic, or only
...                 by chance. Policies that the order accepts as they are (gateway.accepted_policies)
...                 are told and not held against the gateway. Then the flows that the order names
...                 (flows) are tried: the endpoints stand in for the customer's hosts, with their
...                 addresses, and tell what arrived.
Resource            ../resources/firewall.resource

Test Tags           customer_rules


*** Test Cases ***
Every Policy Can Be Met
    [Documentation]    None is left without a packet by those before it, one or several together.
    [Tags]    api
    No Policy Should Be Shadowed

No Policy Is Open To Everything
    [Tags]    api
    No Policy Should Be Open To Everything

Every Policy Logs What It Lets Through
    [Tags]    api
    Every Policy Should Log What It Lets Through

Every Policy Has The Ordered Profiles
    [Documentation]    Antivirus, web filter, intrusion prevention, application control, and a look into
    ...    TLS, where security services were ordered.
    [Tags]    api
    Every Policy Should Have The Ordered Profiles

Every Flow That Is To Pass Passes
    [Documentation]    What was said arrives on the far side, and its answer comes back.
    The Flows That Are To Pass Should Pass

Every Flow That Is To Be Blocked Is Blocked
    [Documentation]    Nothing of it arrives behind any port, also of a connection that the gateway takes.
    The Flows That Are To Be Blocked Should Be Blocked

Every Flow Is Translated As Agreed
    The Flows Should Be Translated As Agreed
