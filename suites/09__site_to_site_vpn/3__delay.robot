*** Settings ***
Name                Delay in a tunnel
Documentation       What a tunnel adds to packets, beside the same path without it.
Resource            ../../resources/site_to_site.resource

Test Tags           latency    load


*** Test Cases ***
A Tunnel Adds Hardly Any Delay
    Given A Tunnel Is Up
    And What Is Sent Should Take The Tunnel
    When Packets Are Sent Through The Tunnel And Beside It
    Then The Delay Should Keep Its Limit
