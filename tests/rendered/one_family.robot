*** Settings ***
Documentation       Certificates where there is one family of fonts alone, which the caller sees to.
Resource            certificate.resource
Resource            looks.resource

Suite Setup         A Browser And Its Pages


*** Test Cases ***
On A Desk, A Tablet, A Telephone And Paper
    [Template]    It Is Seen Whole
    FOR    ${page}    IN    @{PAGES}
        ${page}
    END


*** Keywords ***
A Browser And Its Pages
    [Documentation]    Which all of them share.
    A Browser Is There
    The Pages Are Known

It Is Seen Whole
    [Documentation]    Where it is narrow tables scroll for themselves; paper has a style of its own.
    [Tags]    robot:recursive-continue-on-failure
    [Arguments]    ${page}
    The Page Is Laid Out    ${page}    1100
    Every Text Should Be Seen Whole
    Set Viewport Size    768    1024
    Every Text Should Be Seen Whole
    Set Viewport Size    390    844
    Every Text Should Be Seen Whole
    It Is Laid Out For Paper
    Every Text Should Be Seen Whole
    [Teardown]    Close Context
