*** Settings ***
Documentation       A run as somebody watches it from its first moment to its verdict.
Resource            serve.resource

Suite Setup         A Browser Is There
Test Teardown       Close Context


*** Test Cases ***
A Run Is Watched
    Given The Page Is Opened    /
    And The Page Should Say    There is no run yet.
    And Somebody Is Told That The Page Is Open
    When A Run Is Under Way
    Then It Should Be At    Chapter “Before the test”. At work:
    And The Page Should Say    pass
    When It Has Ended
    Then The Run Should Be    Not proven
    And The Page Should Say    Certificate


*** Keywords ***
Somebody Is Told That The Page Is Open
    [Documentation]    Who begins the run then.
    Create File    ${OPEN}

A Run Is Under Way
    [Documentation]    It turns up in the list without a step of the reader, and is opened.
    Wait For Elements State    .runs .under_way    visible
    Click    .runs tbody th a

It Has Ended
    [Documentation]    The page has changed to what it has left.
    Wait For Elements State    role=heading[name="What it has left"]    visible    timeout=200s
