*** Settings ***
Documentation       What the gateway lets pass while it has no room for new sessions, where the testbed allows that.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
Nothing Else Passes While The Session Table Is Full
    When The Session Table Was Full While Packets Were Sent
    Then Nothing Should Have Passed The Full Table That No Policy Permits
    And The Connection From Before Should Have Gone On
    And New Connections Should Open Again Where There Is Room
