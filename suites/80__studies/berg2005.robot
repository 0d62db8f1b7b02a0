*** Settings ***
Name                Berg 2005
Documentation       Berg 2005: few and fast connections, as those who copy video files have them. One
...                 connection, one each way, fifty at once, and file transfers, through the packet
...                 filter and through a VPN, over paths of up to 40 ms.
Resource            ../../resources/firewall.resource
Resource            ../../resources/site_to_site.resource

Test Tags           berg2005


*** Test Cases ***
The Added Delays Are Known Without The Gateway
    When The Added Delays Are Measured Without The Gateway

The Packet Filter's Connections Are Known
    Given The Test Traffic Is Permitted
    And Note What The Test Policy Has Counted
    When Connections Are Sent Through The Packet Filter Over Longer And Longer Paths
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial

Fifty Connections Carry The Rate Of The Tier
    Given The Test Traffic Is Permitted
    And Note What The Test Policy Has Counted
    When Fifty Connections Are Sent About The Tier's Rate
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial
    And The Throughput Should Reach The Promise

The Packet Filter's File Transfers Are Known
    Given The Test Traffic Is Permitted
    And Note What The Test Policy Has Counted
    When Files Are Sent Through The Packet Filter Over Longer And Longer Paths
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial

The VPN's Connections Are Known
    Given The Tunnels Between Sites Are Prepared
    And A Tunnel Is Up
    And What Is Sent Should Take The Tunnel
    And Note What The Tunnel Has Counted
    When Connections Are Sent Through The VPN Over Longer And Longer Paths
    Then Only Encrypted Packets Should Have Come To The Peer
    And Its Counters Should Have Counted The Traffic
    [Teardown]    The Tunnels Are Taken Away

The VPN's File Transfers Are Known
    Given The Tunnels Between Sites Are Prepared
    And A Tunnel Is Up
    And What Is Sent Should Take The Tunnel
    And Note What The Tunnel Has Counted
    When Files Are Sent Through The VPN Over Longer And Longer Paths
    Then Only Encrypted Packets Should Have Come To The Peer
    And Its Counters Should Have Counted The Traffic
    [Teardown]    The Tunnels Are Taken Away

The VPN Carries What Was Agreed
    Given The Tunnels Between Sites Are Prepared
    And A Tunnel Is Up
    Then The Tunnel Should Be Encrypted As Configured
    And What Is Sent Should Take The Tunnel
    When TCP Is Sent Through The Tunnel
    Then Only Encrypted Packets Should Have Come To The Peer
    And Its Counters Should Have Counted The Traffic
    And The Tunnel's Rate Should Reach What Was Agreed
    [Teardown]    The Tunnels Are Taken Away
