*** Settings ***
Name                Provisioning of tenants
Documentation       The gateway takes the tenants that the order names, several at a time, and each
...                 stands as it was configured: its network with DHCP, its address translation, its
...                 policies, its tunnel and its guest. How long each step takes is told.
Resource            ../resources/gatepass.resource

Test Tags           provisioning    load    api


*** Test Cases ***
Every Tenant Is Set Up Whole And Goes Without A Trace
    Given The Order Asks For Tenants
    When All Of Them Are Set Up
    Then Every Tenant Should Be Whole
    And None Should Have Taken Longer Than Was Ordered
    And All Of Them Should Go Without A Trace
