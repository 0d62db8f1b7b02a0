*** Settings ***
Name                DeCusatis 2014
Documentation       DeCusatis 2014: what a virtual firewall carries of UDP in packets of 1500 and of 512
...                 bytes, of a mix of sizes, with address translation and through IPsec, how long
...                 packets of 512 bytes take, and how many tunnels it brings up a second.
Resource            ../../resources/site_to_site.resource

Test Tags           decusatis2014


*** Test Cases ***
Throughput Is Known For Each Workload
    When The Throughput Of Each Workload Is Searched
    Then The Packets Should Have Passed The Gateway

Packets Of 1500 Bytes Carry The Rate Of The Tier
    Then The Tier's Rate Should Be Carried In Packets Of 1500 Bytes, Without NAT
    And The Packets Should Have Passed The Gateway

Packets Of 1500 Bytes Carry The Rate Of The Tier With NAT
    Then The Tier's Rate Should Be Carried In Packets Of 1500 Bytes, With NAT
    And The Packets Should Have Passed The Gateway

Latency Is Known For Packets Of 512 Bytes
    When The Latency Of Packets Of 512 Bytes Is Measured
    Then The Packets Should Have Passed The Gateway

Throughput Is Known Through A Tunnel
    Given The Tunnels Between Sites Are Prepared
    And A Tunnel Encrypted As In The Source Is Up
    Then The Tunnel Should Be Encrypted As Configured
    And What Is Sent Should Take The Tunnel
    When The Throughput Of Each Workload Through The Tunnel Is Searched
    Then Only Encrypted Packets Should Have Come To The Peer
    And Both Its Ends Should Have Counted What Arrived

Tunnels A Second Are Known
    Given The Tunnels Between Sites Are Prepared
    And As Many Tunnels As Promised Are Configured As In The Source
    When All Of Them Are Brought Up At Once Several Times
    Then All Of Them Should Be Up
    [Teardown]    The Tunnels Are Taken Away
