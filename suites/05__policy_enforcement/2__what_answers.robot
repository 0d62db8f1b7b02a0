*** Settings ***
Documentation       What the gateway itself answers to whoever stands behind one of its ports: on every
...                 TCP and UDP port of its address there, and on a choice of ports of its others.
Resource            ../../resources/firewall.resource


*** Test Cases ***
The Gateway's Nearest Address Answers Only Where It Was Told To
    When Packets Of Every Kind Were Sent Between All Ports
    Then The Gateway Itself Should Have Answered Only Where It Was Told To
