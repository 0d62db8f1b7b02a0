*** Settings ***
Documentation       A policy does what it says, in its place among the others.
Resource            ../../resources/firewall.resource


*** Test Cases ***
A Policy Permits What It Names
    Given The Gateway Has Only A Narrow Policy
    Then The First TCP Port Should Get Through

A Policy For IPv6 Permits Its TCP Port, Which Is Blocked Without It
    Given The Gateway Has Only A Narrow Policy
    Then TCP Over IPv6 Should Be Blocked
    When A Policy Permits The Same Port Over IPv6
    Then TCP Over IPv6 Should Get Through And The Server See The Client
    When The Policy For IPv6 Is Taken Away
    Then TCP Over IPv6 Should Be Blocked

The Implicit Deny Counts What It Blocks
    Given The Gateway Has Only A Narrow Policy
    And Note What The Implicit Deny Has Counted
    When Connections That No Policy Permits Are Tried
    Then The Implicit Deny Should Have Counted More

The Order Of Policies Holds
    Given The Gateway Has Only A Narrow Policy
    And The First TCP Port Should Get Through
    When A Policy That Denies Everything Is Put Above It
    Then The First TCP Port Should Be Blocked
    When The Denying Policy Is Moved Below It
    Then The First TCP Port Should Get Through

A New Policy Is In Force In Time
    [Documentation]    A gateway may bring a change into force behind its answer, and not long after.
    Given The Gateway Has Only A Narrow Policy
    When A Second Policy Permits The Next Port
    Then The Second TCP Port Should Get Through In Time

A Disabled Policy Does Nothing
    Given The Gateway Has Only A Narrow Policy
    And A Second Policy Permits The Next Port
    And The Second TCP Port Should Get Through
    When The Second Policy Is Disabled
    Then The Second TCP Port Should Be Blocked
