*** Settings ***
Documentation       Datagrams below the tier's rate arrive.
Resource            ../../resources/firewall.resource

Test Tags           throughput    loss


*** Test Cases ***
Hardly Any Packet Is Lost
    Given The Test Traffic Is Permitted
    When Datagrams Are Sent At Three Quarters Of The Tier's Rate
    Then Hardly Any Should Be Lost
