*** Settings ***
Name                Remote access
Documentation       People outside get in through an encrypted tunnel, as many at once as the tier
...                 promises; each reaches what their profile names and nothing else, and whoever
...                 has no right stays out.
Resource            ../resources/remote_access.resource

Test Teardown       Everybody Is Logged Out
Test Tags           vpn


*** Test Cases ***
SSL VPN Is The Way In
    Given The Gateway's Version Has SSL VPN
    And Remote Access Is Open
    When A User With A Split Tunnel Connects
    Then Only The Tunnel Should Be Seen

A User Gets In
    Given Remote Access Is Open
    When A User With A Split Tunnel Connects
    Then The User Should Have An Address Of The Pool And The Profile's Routes
    And The Server Should See The User With The Address Of The Tunnel
    And The Gateway Should List The User
    And Only The Tunnel Should Be Seen

A User Behind NAT Is Seen As The Gateway
    Given Remote Access Is Open    nat=enable
    When A User With A Split Tunnel Connects
    Then The Server Should See The User With The Address Of The Gateway

A Wrong Password Is Refused
    Who Has No Right Is Refused    a user with a wrong password

A Disabled User Is Refused
    Who Has No Right Is Refused    a disabled user

A User Outside The Group Is Refused
    Who Has No Right Is Refused    a user outside the group

A Session That Was Logged Out Is Refused
    A Session Ends    logout

A Session That Has Expired Is Refused
    A Session Ends    expiry

Logging Out Takes Everything Away
    Given Remote Access Is Open
    And A User With A Split Tunnel Connects
    When The User Logs Out
    Then Address And Routes Should Be Gone From The Client
    And The Gateway Should List The User No More

A Split Tunnel Holds Both Ways
    Given Remote Access Is Open
    When A User With A Split Tunnel Connects
    Then Each Target Should Be Reached As The Profile Says
    And The Tunnel Should Carry Nothing Else

Without A Split Tunnel Everything Goes Through It
    Given Remote Access Is Open
    When A User Without A Split Tunnel Connects
    Then The User Should Have An Address Of The Pool And The Profile's Routes
    And Each Target Should Be Reached As The Profile Says

Five Profiles Give Five Ways
    Given Remote Access Is Open
    When A User Of Each Of Five Profiles Connects
    Then The User Should Have An Address Of The Pool And The Profile's Routes
    And Each Target Should Be Reached As The Profile Says

Uploads Of One User
    [Tags]    throughput    compared
    The Rate Of One User    to the server

Downloads Of One User
    [Tags]    throughput    compared
    The Rate Of One User    to the client

Remote Access Adds Hardly Any Delay
    [Tags]    latency    load
    Given Remote Access Is Open
    And A User With A Split Tunnel Connects
    When Packets Are Sent Over Remote Access
    Then Only The Tunnel Should Be Seen
    And The Delay Should Keep Its Limit

The Promised Users Are Connected At Once
    [Tags]    load    users
    Given Remote Access Is Open
    When The Promised Number Of Users Connects At Once
    And All Users Send At The Same Time
    Then Every User Should Have An Address Of Their Own
    And Every User's Traffic Should Pass, And Be Seen As Theirs
    And No User Should Reach Another
