*** Settings ***
Documentation       The gateway permits what a policy names, blocks each connection tried that no
...                 policy permits, and keeps to the order of its policies. Throughput is worth
...                 nothing on a firewall that lets everything through.
Resource            ../resources/firewall.resource

Test Template       Connections That No Policy Permits Are Blocked
Test Tags           enforcement


*** Test Cases ***                                                      FROM      TO        OVER
Neighbouring TCP And UDP Ports Of The Server Are Blocked                client    server    IPv4
Two TCP And UDP Ports Of The Client Are Blocked                         server    client    IPv4
Two TCP And UDP Ports Of The Server Are Blocked Over IPv6               client    server    IPv6
Two TCP And UDP Ports Of The Client Are Blocked Over IPv6               server    client    IPv6

A Policy Permits What It Names
    [Template]    NONE
    Given The Gateway Has Only A Narrow Policy
    Then The First TCP Port Should Get Through

A Policy For IPv6 Permits Its TCP Port, Which Is Blocked Without It
    [Template]    NONE
    Given The Gateway Has Only A Narrow Policy
    Then TCP Over IPv6 Should Be Blocked
    When A Policy Permits The Same Port Over IPv6
    Then TCP Over IPv6 Should Get Through And The Server See The Client
    When The Policy For IPv6 Is Taken Away
    Then TCP Over IPv6 Should Be Blocked

The Implicit Deny Counts What It Blocks
    [Template]    NONE
    Given The Gateway Has Only A Narrow Policy
    And Note What The Implicit Deny Has Counted
    When Connections That No Policy Permits Are Tried
    Then The Implicit Deny Should Have Counted More

The Order Of Policies Holds
    [Template]    NONE
    Given The Gateway Has Only A Narrow Policy
    And The First TCP Port Should Get Through
    When A Policy That Denies Everything Is Put Above It
    Then The First TCP Port Should Be Blocked
    When The Denying Policy Is Moved Below It
    Then The First TCP Port Should Get Through

A Disabled Policy Does Nothing
    [Template]    NONE
    Given The Gateway Has Only A Narrow Policy
    And A Second Policy Permits The Next Port
    And The Second TCP Port Should Get Through
    When The Second Policy Is Disabled
    Then The Second TCP Port Should Be Blocked
