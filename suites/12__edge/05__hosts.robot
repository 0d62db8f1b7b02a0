*** Settings ***
Documentation       What the gateway has against hosts that pretend to be others. Each filter is shown at
...                 work, and everything is as before when it is gone; the right host is never stopped.
Resource            ../../resources/gatepass.resource

Test Tags           hosts
Test Teardown       The Filters Of Hosts Are As They Were


*** Test Cases ***
A Host With Another's Hardware Address Is Stopped
    [Documentation]    An IP address that is bound to a hardware address: who has one of the two without
    ...    the other is stopped, and the host itself and its neighbours are not.
    Given Datagrams From Any Address Are Permitted To The Server
    When The Client's Address Is Bound To Its Hardware Address For A While
    Then Nobody Else Should Have Got Through In Its Name
    And The Client And Its Neighbour Should Have Got Through Beside It
    And All Should Get Through Again After

A Borrowed Source Address Is Refused Where It Cannot Come From
    [Documentation]    A sender behind the client's port with an address that lies behind another one,
    ...    where a policy permits any address.
    Given Datagrams From Any Address Are Permitted To The Server
    When The Client Sends From Borrowed Addresses With The Source Check And Without
    Then No Borrowed Address Should Have Got Through While It Was Checked

ARP Does Not Move A Host That Is Fixed
    [Documentation]    A host whose hardware address stands in the gateway's ARP table, while another
    ...    claims to be it.
    Given Datagrams Are Permitted To A Host That Nobody Else Is
    When Another Claims To Be That Host With An ARP Entry For It And Without
    Then What Is For The Host Should Have Stayed With It
