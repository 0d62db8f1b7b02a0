*** Settings ***
Documentation       The gateway blocks what no policy permits, each way, and keeps to the order
...                 of its policies. Throughput is worth nothing on a firewall that lets
...                 everything through.
Resource            ../resources/gatepass.resource

Test Tags           enforcement


*** Test Cases ***
A Policy Permits What It Names
    Given The Gateway Has Only A Narrow Policy
    Then TCP Port First Should Get Through

Nothing Else Gets Through To The Server
    Given The Gateway Has Only A Narrow Policy
    And TCP Port First Should Get Through
    Then Everything Else From Client To Server Should Be Blocked

Nothing Gets Through To The Client
    Given The Gateway Has Only A Narrow Policy
    And TCP Port First Should Get Through
    Then Everything Else From Server To Client Should Be Blocked

The Implicit Deny Counts What It Blocks
    Given The Gateway Has Only A Narrow Policy
    And Note What The Implicit Deny Has Counted
    When Connections That No Policy Permits Are Tried
    Then The Implicit Deny Should Have Counted More

The Order Of Policies Holds
    Given The Gateway Has Only A Narrow Policy
    And TCP Port First Should Get Through
    When A Policy That Denies Everything Is Put Above It
    Then TCP Port First Should Be Blocked
    When The Denying Policy Is Moved Below It
    Then TCP Port First Should Get Through

A Disabled Policy Does Nothing
    Given The Gateway Has Only A Narrow Policy
    And A Second Policy Permits The Next Port
    And TCP Port Second Should Get Through
    When The Second Policy Is Disabled
    Then TCP Port Second Should Be Blocked
