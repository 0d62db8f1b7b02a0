*** Settings ***
Documentation       Tunnels to other sites carry traffic encrypted as agreed and never in clear, as
...                 many at once as the tier promises, and they come back and renew their keys
...                 without anybody's help.
Resource            ../resources/site_to_site.resource

Suite Setup         The Peer Is Ready And A Tunnel With Short-Lived Keys Is At Work
Test Template       A Tunnel Carries What Was Agreed
Test Tags           site_to_site    throughput


*** Test Cases ***                  PROPOSAL
AES256-GCM, DH 14                   aes256gcm-dh14
AES256, SHA256, DH 14               aes256-sha256-dh14
AES128, SHA256, DH 14               aes128-sha256-dh14
AES128, SHA256, DH 5                aes128-sha256-dh5
3DES, SHA1, DH 2                    3des-sha1-dh2

Without The Tunnel Nothing Passes In Clear
    [Tags]    -throughput
    [Template]    NONE
    Given A Tunnel Is Up
    And Its Network Is Asked For Comparison
    When The Peer Ends The Tunnel And Takes No Other
    Then Nothing Of Its Network Should Pass

The Promised Tunnels Are Up At Once
    [Tags]    ipsec    load    -throughput
    [Template]    NONE
    Given The Promised Number Of Tunnels Is Configured
    When The Peer Brings All Of Them Up At Once
    Then All Of Them Should Be Up
    And Each Should Carry The Traffic Of Its Own Network And No Other
    When TCP Is Sent Through One Of Them
    Then The Tunnels Are Taken Away

A Tunnel Comes Back After Its SA Was Deleted
    [Tags]    -throughput
    [Template]    NONE
    Given A Tunnel Is Up That The Gateway Keeps Up
    When Its SA Is Deleted
    Then It Should Come Back By Itself

Keys Are Renewed Under Traffic When The Peer Asks
    [Tags]    load    -throughput
    [Template]    NONE
    Given A Tunnel Is Up
    When The Peer Renews Its Keys Under Traffic
    Then Its Keys Should Be New
    And Traffic Should Have Gone On Meanwhile

Keys Are Renewed By The Gateway Before They Run Out
    [Tags]    keylife    -throughput
    [Template]    NONE
    When A Tunnel Has Carried Traffic For Longer Than Its Keys Live
    Then Its Keys Should Be New
    And Traffic Should Have Gone On Meanwhile

A Tunnel Comes Back After Its Peer Restarted
    [Tags]    -throughput
    [Template]    NONE
    Given A Tunnel Is Up That The Gateway Keeps Up
    When Its Peer Restarts
    Then It Should Come Back By Itself
