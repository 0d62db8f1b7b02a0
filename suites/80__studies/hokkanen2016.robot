*** Settings ***
Name                Hokkanen 2016
Documentation       Hokkanen 2016, "Evaluation of Virtual Firewall in Private Cloud": throughput by
...                 number of policies with and without NAT, of FTP downloads without and with
...                 security services, of IPsec tunnels by their encryption, and of SSL VPN.
Resource            ../../resources/hokkanen2016.resource

Test Setup          The Conditions Are Those Of Hokkanen 2016
Test Teardown       What The Study Has Changed Is Taken Back
Test Tags           hokkanen2016


*** Test Cases ***
Test 1, One Policy Without NAT
    Stateful Throughput Is Known    1    disable    client

Test 1, One Policy With NAT
    Stateful Throughput Is Known    1    enable    gateway

Test 1, 100 Policies Without NAT
    Stateful Throughput Is Known    100    disable    client

Test 1, 100 Policies With NAT
    Stateful Throughput Is Known    100    enable    gateway

Test 1, 1000 Policies Without NAT
    Stateful Throughput Is Known    1000    disable    client

Test 1, 1000 Policies With NAT
    Stateful Throughput Is Known    1000    enable    gateway

Test 2, FTP Downloads
    Given The Security Services Are Prepared
    When A Large File Is Downloaded Over FTP With Services Off And On
    And It Is Downloaded As Often Beside The Gateway
    Then The Downloads Are Told Beside The Published Ones
    And The Rate With Services On Should Reach The Promise

Test 3, AES256 SHA256 DH 14
    IPsec Throughput Is Known    aes256-sha256-dh14

Test 3, AES128 SHA256 DH 5
    IPsec Throughput Is Known    aes128-sha256-dh5

Test 3, 3DES SHA1 DH 2
    IPsec Throughput Is Known    3des-sha1-dh2

Test 4, SSL VPN
    Given Remote Access Is Open
    And TCP Is Sent To The Server Without A Tunnel
    And A User With A Split Tunnel Connects
    When TCP Is Sent To The Server Over Remote Access
    Then Only The Tunnel Should Be Seen
    And The Gateway Should Have Counted It All
    And The Rate Is Told Beside The Published One
    And The Rate Should Reach What Was Ordered
