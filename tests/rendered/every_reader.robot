*** Settings ***
Documentation       Certificates for those who do not see them as most do.
Resource            certificate.resource
Resource            looks.resource

Suite Setup         A Browser And Its Pages


*** Test Cases ***
With Keys And Ears, Also In The Dark
    [Template]    It Is Used By Everybody
    FOR    ${page}    IN    @{PAGES}
        ${page}
    END

Without Colour
    [Template]    It Is Read Without Colour
    FOR    ${page}    IN    @{PAGES}
        ${page}
    END


*** Keywords ***
A Browser And Its Pages
    [Documentation]    Which all of them share.
    A Browser Is There
    The Pages Are Known

It Is Used By Everybody
    [Documentation]    On a desk, on a telephone, where its tables scroll, and where pages are dark.
    [Tags]    robot:recursive-continue-on-failure
    [Arguments]    ${page}
    The Page Is Laid Out    ${page}    1100
    Everybody Should Be Able To Use It
    Set Viewport Size    390    844
    Everybody Should Be Able To Use It
    Emulate Media    colorScheme=dark
    Every Text Should Be Read Easily
    Everybody Should Be Able To Use It
    [Teardown]    Close Context

It Is Read Without Colour
    [Documentation]    From a printer that has black alone.
    [Tags]    robot:recursive-continue-on-failure
    [Arguments]    ${page}
    The Page Is Laid Out    ${page}    794
    It Is Laid Out For Paper
    Every Text Should Be Read Easily
    Everything Should Be Told Without Colour
    [Teardown]    Close Context
