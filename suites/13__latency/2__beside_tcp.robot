*** Settings ***
Documentation       How long a packet waits beside large transfers both ways: a call beside a download.
Resource            ../../resources/latency.resource


*** Test Cases ***
Delay Stays Bounded While TCP Fills The Path Both Ways
    When TCP Fills The Path Both Ways Between Two Times Of Rest
    Then The Delay To The Server Should Have Kept Its Limit Meanwhile
    And The Delay To The Client Should Have Kept Its Limit Meanwhile
