*** Settings ***
Documentation       The customer's own policies as they were delivered, before anything of this test is
...                 put beside them. Nothing is sent here: what is looked for shows in no traffic, or
...                 only by chance. Policies that the order accepts as they are
...                 (gateway.accepted_policies) are told and not held against the gateway.
Resource            ../resources/firewall.resource

Test Tags           customer_rules


*** Test Cases ***
Every Policy Can Be Met
    [Documentation]    None is left without a packet by those before it, one or several together.
    No Policy Should Be Shadowed

No Policy Is Open To Everything
    No Policy Should Be Open To Everything

Every Policy Logs What It Lets Through
    Every Policy Should Log What It Lets Through

Every Policy Has The Ordered Profiles
    [Documentation]    Antivirus, web filter, intrusion prevention, application control, and a look into
    ...    TLS, where security services were ordered.
    Every Policy Should Have The Ordered Profiles
