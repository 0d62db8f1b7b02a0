*** Settings ***
Documentation       Nothing passes beside a tunnel, and tunnels stay up.
Resource            ../../resources/site_to_site.resource


*** Test Cases ***
Without The Tunnel Nothing Passes In Clear
    Given A Tunnel Is Up
    And Its Network Is Asked For Comparison
    When The Peer Ends The Tunnel And Takes No Other
    Then Nothing Of Its Network Should Pass

The Promised Tunnels Are Up At Once
    [Tags]    ipsec    load
    Given The Promised Number Of Tunnels Is Configured
    When The Peer Brings All Of Them Up At Once
    Then All Of Them Should Be Up
    And Each Should Carry The Traffic Of Its Own Network And No Other
    When TCP Is Sent Through One Of Them
    [Teardown]    The Tunnels Are Taken Away

A Tunnel Comes Back After Its SA Was Deleted
    Given A Tunnel Is Up That The Gateway Keeps Up
    When Its SA Is Deleted
    Then It Should Come Back By Itself

Keys Are Renewed Under Traffic When The Peer Asks
    [Tags]    load
    Given A Tunnel Is Up
    When The Peer Renews Its Keys Under Traffic
    Then Its Keys Should Be New
    And Traffic Should Have Gone On Meanwhile

Keys Are Renewed By The Gateway Before They Run Out
    [Tags]    keylife
    When A Tunnel Has Carried Traffic For Longer Than Its Keys Live
    Then Its Keys Should Be New
    And Traffic Should Have Gone On Meanwhile

A Tunnel Comes Back After Its Peer Restarted
    Given A Tunnel Is Up That The Gateway Keeps Up
    When Its Peer Restarts
    Then It Should Come Back By Itself
