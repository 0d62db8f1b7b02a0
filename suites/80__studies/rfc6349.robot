*** Settings ***
Name                RFC 6349
Documentation       RFC 6349: what TCP makes of the path through the gateway, by its window and by the
...                 number of connections: how much longer a transfer takes than it should, what is
...                 sent again, and by how much waiting in queues lengthens the round trip.
Resource            ../../resources/firewall.resource

Test Tags           rfc6349


*** Test Cases ***
The Path Is Known Without Load
    Given The Test Traffic Is Permitted
    When The Path Without Load Is Measured
    Then The Test Traffic Gets Through And The Server Sees The Client

TCP Is Known For Each Window
    Given The Test Traffic Is Permitted
    And Note What The Test Policy Has Counted
    When TCP Is Sent With Windows Around What Fills The Path
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial

TCP Is Known For Several Connections
    Given The Test Traffic Is Permitted
    And Note What The Test Policy Has Counted
    When TCP Is Sent Over Several Connections
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Client In Every Trial
