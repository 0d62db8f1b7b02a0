*** Settings ***
Documentation       How many connections one host may have.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
One Host Has No More Connections Than It May
    When Floods Were Sent Without A Limit, With One And Without Again
    Then One Host Should Have Had No More Connections Than It May
