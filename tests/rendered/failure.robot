*** Settings ***
Documentation       The page of a check that did not pass, as an engineer opens it.
Library             Browser    timeout=60s    retry_assertions_for=30s
Resource            accessible.resource

Suite Setup         New Browser    chromium    headless=True    executablePath=${CHROMIUM}    args=${SWITCHES}
Test Teardown       Close Context


*** Test Cases ***
On A Screen
    New Context    viewport={'width': 1100, 'height': 1500}
    New Page    file://${FOLDER}/failures/chapter/check/index.html
    Get Text    h1    ==    One Policy, Without NAT
    Get Text    p.message    contains    287
    Get Element Count    .tried tbody tr    ==    5
    Get Text    .tried tr.odd    contains    odd
    Get Property    figure svg    clientHeight    >    ${200}
    Get Property    html    scrollWidth    <=    ${1100}
    Get Console Log    validate    value == []
    Everybody Should Be Able To Use It

On A Telephone
    New Context    viewport={'width': 390, 'height': 844}    deviceScaleFactor=3
    New Page    file://${FOLDER}/failures/chapter/check/index.html
    Get Property    html    scrollWidth    <=    ${390}
    Get Text    .transfer    contains    68 of 70 bytes
    Get Element Count    a[href="../../../leaks/server.pcap"]    ==    1
    Everybody Should Be Able To Use It
    Click    role=link[name="Certificate"]
    Get Text    h1    ==    Certificate
