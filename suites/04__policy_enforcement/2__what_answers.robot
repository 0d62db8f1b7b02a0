*** Settings ***
Documentation       What the gateway itself answers to whoever stands behind one of its ports.
Resource            ../../resources/firewall.resource


*** Test Cases ***
The Gateway Itself Answers Only Where It Was Told To
    When Packets Of Every Kind Were Sent Between All Ports
    Then The Gateway Itself Should Have Answered Only Where It Was Told To
