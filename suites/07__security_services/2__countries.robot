*** Settings ***
Documentation       Where a server lies decides whether it is reached.
Resource            ../../resources/services.resource


*** Test Cases ***
A Blocked Country
    Given Security Services Are Off
    When The Country That The Server Lies In Is Blocked
    Then The Server Should Be Out Of Reach
    When The Server Is Moved To Another Country
    Then The Server Should Be In Reach
    [Teardown]    The Country Is Blocked No More
