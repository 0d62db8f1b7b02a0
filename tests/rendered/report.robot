*** Settings ***
Documentation       Robot's report and log as somebody sees them who does not program.
Library             Browser    timeout=60s    retry_assertions_for=30s
Library             Collections

Suite Setup         New Browser    chromium    headless=True    executablePath=${CHROMIUM}    args=${SWITCHES}
Test Teardown       Close Context


*** Variables ***
${WHITE_TO_GREEN}       rgb(232, 245, 233)
${WHITE_TO_RED}         rgb(253, 236, 234)
${WHITE_TO_YELLOW}      rgb(255, 248, 225)


*** Test Cases ***
An Order Is Told By Its Verdict
    [Template]    The Report Should Tell
    approved    Approved    ${WHITE_TO_GREEN}    pass-bar    IPv6 Is Enforced As IPv4 Is
    rejected    Rejected    ${WHITE_TO_RED}    fail-bar    100 Policies, With NAT
    not-proven    Not proven    ${WHITE_TO_YELLOW}    skip-bar    1 Policy, With NAT

What Is Gravest Stands First As Soon As The Report Is Opened
    New Context    viewport={'width': 1400, 'height': 1000}
    New Page    file://${FOLDER}/turned-round/report.html
    Get Text    \#test-details tbody tr >> nth=0    contains    ${LAST}
    ${below}    Evaluate JavaScript    ${None}    () => document.querySelector('#test-details').offsetTop <
    ...    document.querySelector('#statistics-container').offsetTop
    Should Be True    ${below}

What Is Not Proven Is Told From What Is Not Applicable
    New Context    viewport={'width': 1400, 'height': 1000}
    New Page    file://${FOLDER}/not-proven/report.html
    Get Text    \#test-details    contains    NOT PROVEN
    Get Element Count    \#test-details .details-col-status .label:text-is("SKIP")    ==    0

A Topic Is Counted By Its Name
    New Context    viewport={'width': 1400, 'height': 1000}
    New Page    file://${FOLDER}/approved/report.html
    Get Text    \#tag-stats tbody    contains    Throughput of the tier
    Get Text    \#tag-stats tbody    not contains    combined
    Get Element Count    \#tag-stats tbody tr    ==    1

Nothing Of A Stranger Runs Or Loads
    [Documentation]    Not even where markup of others stands in the output, which nothing of ours puts there.
    [Template]    The Page Should Run Its Own Scripts Alone
    report
    log

Everything Fits A Telephone
    [Template]    The Page Should Fit A Telephone
    report
    log


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

The Page Should Fit A Telephone
    [Documentation]    As wide as the screen, in letters that can be read, and all controls have names.
    [Arguments]    ${page}
    New Context    viewport={'width': 390, 'height': 844}    deviceScaleFactor=3    isMobile=True    hasTouch=True
    New Page    file://${FOLDER}/rejected/${page}.html
    Get Property    html    scrollWidth    <=    ${390}
    ${wide}    Evaluate JavaScript    body    (body) => [...body.querySelectorAll('td, th, h1, h2, .name, .doc, .message')]
    ...    .filter(one => one.getBoundingClientRect().right > 391).map(one => one.outerHTML.slice(0, 80))
    Should Be Empty    ${wide}
    ${size}    Get Style    .message >> nth=0    font-size
    Should Be True    float('${size}'.removesuffix('px')) >= 12
    ${nameless}    Evaluate JavaScript    body    (body) => [...body.querySelectorAll('button, select')]
    ...    .filter(one => !one.ariaLabel && !one.title).length
    Should Be Equal As Integers    ${nameless}    0

The Page Should Run Its Own Scripts Alone
    [Documentation]    Its links to scripts do nothing, its pictures come from nowhere, its own controls work.
    [Arguments]    ${page}
    New Context    viewport={'width': 1400, 'height': 1000}
    New Page    file://${FOLDER}/hostile/${page}.html
    ${title}    Get Title
    Click    a:text-is("A script") >> nth=0
    Evaluate JavaScript    body    (body) => body.querySelectorAll('a[href^="javascript:document"]').forEach(one => one.click())
    Get Title    ==    ${title}
    ${refused}    Evaluate JavaScript    ${None}    () => new Promise(resolve => {
    ...    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    ...    new Image().src = 'https://stranger.example/x.png'; })
    Should Be Equal    ${refused}    img-src
    ${after}    Evaluate JavaScript    ${None}    () => {
    ...    const script = document.createElement('script');
    ...    script.textContent = 'document.title = "ran"';
    ...    document.body.append(script);
    ...    return document.title; }
    Should Be Equal    ${after}    ${title}
    Click    \#theme-toggle
