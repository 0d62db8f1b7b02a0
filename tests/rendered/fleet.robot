*** Settings ***
Documentation    What a provider sees of a fleet: every kind of end, all well, many orders.

Resource         certificate.resource

Suite Setup      A Browser Is There
Test Teardown    Close Context


*** Test Cases ***
A Fleet With Every Kind Of End
    Given The Page Is Opened    mixed
    Then The Verdict Should Be    1 of 5 approved, 1 rejected, 3 not proven
    ...    1 gateway may be handed over; 1 must not be; 3 could not be decided.
    And The Orders Should Be    4711-02    4711-03    4711-04    4711-05    4711-01
    And The Order Should Be Shown    4711-02    rejected    −4.2 %
    And The Order Should Be Shown    4711-05    not proven    It did not run.
    And The Order Should Be Shown    4711-01    approved    +2.1 %
    And The Page Is In Order    mixed

A Link Leads To The Certificate Of Its Order
    Given The Page Is Opened    mixed
    When Click    role=link[name="Certificate of 4711-01"]
    Then Get Text    h2#decision    ==    Approved
    And Get Text    header.title    contains    4711-01

A Fleet In Which All Is Well
    Given The Page Is Opened    approved
    Then The Verdict Should Be    All 2 approved    All 2 gateways may be handed over.
    And The Page Is In Order    approved

A Fleet Of Fifty
    Given The Page Is Opened    fifty
    Then The Verdict Should Be    49 of 50 approved, 1 not proven
    ...    49 gateways may be handed over; 1 could not be decided.
    And Get Element Count    .orders tbody tr    ==    50
    And The Page Is In Order    fifty

On A Narrow Screen
    Given The Page Is Opened    mixed
    When Set Viewport Size    400    900
    Then Get Property    html    scrollWidth    <=    ${400}


*** Keywords ***
The Orders Should Be
    [Documentation]    From the top.
    [Arguments]    @{names}
    ${shown}    Evaluate JavaScript    table.orders
    ...    (table) => [...table.querySelectorAll('tbody th strong')].map(one => one.innerText)
    Should Be Equal    ${shown}    ${names}

The Order Should Be Shown
    [Documentation]    Its row with the verdict and a part of what it says.
    [Arguments]    ${name}    ${verdict}    ${part}
    VAR    ${row}    .orders tr:has(th strong:text-is("${name}"))
    Get Text    ${row} >> .verdict    ==    ${verdict}
    Get Text    ${row}    contains    ${part}

The Page Is In Order
    [Documentation]    What holds for each of them.
    [Arguments]    ${name}
    The Console Should Be Silent
    Every Text Should Stand Out
    Nothing Should Stick Out
    A Picture Is Taken    ${name}
