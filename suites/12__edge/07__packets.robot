*** Settings ***
Documentation       What belongs to no connection, and what is for everybody. Each is let through first,
...                 then stopped.
Resource            ../../resources/gatepass.resource

Test Tags           packets


*** Test Cases ***
Segments Beyond A Connection's Window Are Stopped
    [Documentation]    Who knows the addresses and ports of a connection cannot send in its name.
    When Segments Beyond The Window Were Sent With Anti-Replay And Without
    Then None Of Them Should Have Passed With It

Nobody Outside Reaches All Hosts Of A Network At Once
    [Documentation]    Datagrams from behind another port to the network's broadcast address, which a
    ...    policy permits.
    When The Server Sends To All Hosts Of The Client's Network
    Then None Of It Should Have Passed Where The Ports Forward No Broadcasts
