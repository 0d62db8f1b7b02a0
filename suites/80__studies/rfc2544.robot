*** Settings ***
Name                RFC 2544
Documentation       RFC 2544, and RFC 5180 for IPv6: how many frames a second of each size get through
...                 without loss, how long they take, how many are lost at which load, how long a
...                 burst may be, and for how long an overload is felt.
Resource            ../../resources/gatepass.resource

Test Tags           rfc2544


*** Test Cases ***
Throughput Is Known For Each Frame Size
    Given Frames Are Permitted Through The Gateway
    When The Throughput Of Each Frame Size Is Searched
    Then The Frames Should Have Passed The Gateway

The Largest Frames Carry The Rate Of The Tier
    Given Frames Are Permitted Through The Gateway
    Then The Tier's Rate Should Be Carried In The Largest Frames
    And The Frames Should Have Passed The Gateway

Latency Is Known At That Throughput
    Given Frames Are Permitted Through The Gateway
    When The Latency At The Throughput Is Measured
    Then The Frames Should Have Passed The Gateway

Loss Is Known At Each Load
    Given Frames Are Permitted Through The Gateway
    When The Frame Loss Rate Is Measured
    Then The Frames Should Have Passed The Gateway

The Longest Burst Without Loss Is Known
    Given Frames Are Permitted Through The Gateway
    When The Longest Burst Is Measured
    Then The Frames Should Have Passed The Gateway

Recovery From An Overload Is Known
    Given Frames Are Permitted Through The Gateway
    When The Recovery From Overload Is Measured
    Then The Frames Should Have Passed The Gateway
