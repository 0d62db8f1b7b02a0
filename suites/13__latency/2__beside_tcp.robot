*** Settings ***
Name                Beside TCP
Documentation       How long a packet waits beside large transfers both ways: a call beside a download.
Resource            ../../resources/latency.resource


*** Test Cases ***
Delay Stays Bounded Beside TCP Both Ways
    When TCP Is Sent Both Ways Between Two Times Of Rest
    Then The Delay To The Server Should Have Kept Its Limit Meanwhile
    And The Delay To The Client Should Have Kept Its Limit Meanwhile
    And TCP Should Have Filled The Path
