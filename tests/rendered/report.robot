*** Settings ***
Documentation       Robot's report as somebody sees it who does not program.
Library             Browser    timeout=60s    retry_assertions_for=30s
Library             Collections

Suite Setup         New Browser    chromium    headless=True    executablePath=${CHROMIUM}    args=${SWITCHES}
Test Teardown       Close Context
Test Template       The Report Should Tell


*** Variables ***
${WHITE_TO_GREEN}       rgb(232, 245, 233)
${WHITE_TO_RED}         rgb(253, 236, 234)
${WHITE_TO_YELLOW}      rgb(255, 248, 225)


*** Test Cases ***    PAGE    VERDICT    COLOUR    BAR IN THE DARK    FIRST
An Approved Order    approved    Approved    ${WHITE_TO_GREEN}    pass-bar    IPv6 Is Enforced As IPv4 Is
A Rejected Order    rejected    Rejected    ${WHITE_TO_RED}    fail-bar    100 Policies, With NAT
An Order That Is Not Proven    not-proven    Not proven    ${WHITE_TO_YELLOW}    skip-bar    1 Policy, With NAT


*** Keywords ***
The Report Should Tell
    [Documentation]    In its first row, by its colour, and by what stands first among all checks, unclipped.
    [Arguments]    ${page}    ${verdict}    ${colour}    ${bar}    ${first}
    New Context    viewport={'width': 1400, 'height': 1000}
    New Page    file://${FOLDER}/${page}/report.html#totals?all
    Get Text    th:text-is("Verdict:") + td    ==    ${verdict}
    Get Style    body    background-color    ==    ${colour}
    Get Text    \#test-details tbody tr >> nth=0    contains    ${first}
    ${cut}    Evaluate JavaScript    body    (body) =>
    ...    [...body.querySelectorAll('.details-limited')].filter(one => one.scrollHeight > one.clientHeight + 1).length
    Should Be Equal As Integers    ${cut}    0
    New Context    viewport={'width': 1400, 'height': 1000}    colorScheme=dark
    New Page    file://${FOLDER}/${page}/report.html
    Get Classes    \#status-bar    contains    ${bar}
    Get Style    body    background-color    ==    rgb(28, 34, 39)
