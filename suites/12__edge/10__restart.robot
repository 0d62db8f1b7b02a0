*** Settings ***
Documentation       What the gateway lets pass while it restarts, where the testbed allows that.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
Nothing Else Passes While The Gateway Restarts
    When The Gateway Was Restarted While Packets Went Both Ways
    Then Nothing Should Have Passed That No Policy Permits

What Is Permitted Passes Again By Itself After A Restart
    When The Gateway Was Restarted While Packets Went Both Ways
    Then What Is Permitted Should Pass Again By Itself
