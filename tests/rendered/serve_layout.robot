*** Settings ***
Documentation       Whether what is shown has room: on a screen, and on a telephone.
Resource            serve.resource

Suite Setup         A Browser Is There
Test Teardown       Close Context


*** Test Cases ***
The Columns Of The List Fit
    Given The Page Is Opened    /
    Then No Row Should Be Higher Than    100
    And Nothing Should Be Cut
    And It Should Be Usable

Nothing Is Cut On A Telephone
    [Template]    Nothing Should Be Cut On A Telephone
    /
    /runs/${REJECTED}
    /compare?run=${REJECTED}&run=${APPROVED}

A Run Lists Its Reasons
    Given The Page Is Opened    /runs/${REJECTED}
    Then Get Element Count    .causes li    >=    1
    And It Should Be Usable


*** Keywords ***
No Row Should Be Higher Than
    [Documentation]    Pixels.
    [Arguments]    ${most}
    ${highest}    Evaluate JavaScript    ${None}
    ...    () => Math.max(...[...document.querySelectorAll('.runs tbody tr')].map(one => one.offsetHeight))
    Should Be True    ${highest} <= ${most}    A row is ${highest} pixels high.

Nothing Should Be Cut
    [Documentation]    No word sticks out of its cell, and no cell out of the window.
    ${cut}    Evaluate JavaScript    ${None}
    ...    () => [...document.querySelectorAll('main th, main td, main p, main li, main h1, main dd')]
    ...    .filter(one => !one.closest('thead') || getComputedStyle(one.closest('thead')).clipPath === 'none')
    ...    .filter(one => one.scrollWidth > one.clientWidth + 1
    ...    || one.getBoundingClientRect().right > window.innerWidth)
    ...    .filter(one => getComputedStyle(one).display !== 'inline' && !one.querySelector('.unseen'))
    ...    .map(one => one.outerHTML.slice(0, 120))
    Should Be Empty    ${cut}

Nothing Should Be Cut On A Telephone
    [Documentation]    Nor does anything scroll sideways.
    [Arguments]    ${path}
    Given The Page Is Opened On A Telephone    ${path}
    Then Get Property    html    scrollWidth    <=    ${390}
    And Nothing Should Be Cut
