*** Settings ***
Name                DHCP
Documentation       The gateway gives hosts their addresses: each its own and with what was configured, a
...                 reserved one to its host alone, and none to hosts that are not on its list, however
...                 many ask.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
Fifty Hosts Get Addresses At Once
    When Hosts Ask For Addresses Without A DHCP Server And With One
    Then Each Of Fifty Should Have Got An Address Of Its Own At Once
    And Each Should Have Been Told What Was Configured

A Reserved Address Goes To Its Host Alone
    When Hosts Ask For Addresses Without A DHCP Server And With One
    Then The Reserved Address Should Have Gone To Its Host Alone

When The Range Is Used Up Nobody Loses An Address, And Every Lease Is Listed
    When Hosts Ask For Addresses Without A DHCP Server And With One
    Then A Host Too Many Should Have Got None
    And Each Of The Others Should Have Renewed Its Address
    And The Gateway Should Have Listed Every Lease

Hosts That Are Not Listed Cannot Use Up The Addresses
    When Hosts Ask For Addresses Without A DHCP Server And With One
    Then Hosts That Are Not Listed Should Have Got No Answer
    And Listed Hosts Should Have Got Theirs Meanwhile
