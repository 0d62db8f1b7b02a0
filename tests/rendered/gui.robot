*** Settings ***
Documentation    The web page of the lab's gateway, as somebody uses it.

Resource         gui.resource

Suite Setup      A Browser Is There
Test Setup       The Page To Log In Is Opened
Test Teardown    Close Context


*** Test Cases ***
A Wrong Password Is Refused
    When Somebody Logs In With    no-password-of-anyone
    Then Get Text    role=alert    ==    Authentication failure
    And Get Url    contains    /login

A New Device Asks For Its Set-Up
    When Somebody Logs In With    ${PASSWORD}
    And Wait For Elements State    role=button[name="Later"]    visible
    Then Everybody Should Be Able To Use It

The Policies Are Listed
    Given The Administrator Has Logged In
    Then Get Text    role=heading[level=1]    ==    Firewall Policy
    And The List Should Tell    ${COUNT} policies
    And A Policy Should Be In Sight    policy-1
    And Get Element Count    \#rows [role=row]    <    ${100}
    And Everybody Should Be Able To Use It
    And Nothing Should Have Gone Wrong

The Last Policy Is Scrolled To
    Given The Administrator Has Logged In
    When Scroll To Element    \#list
    And Evaluate JavaScript    \#list    (list) => { list.scrollTop = list.scrollHeight }
    Then A Policy Should Be In Sight    policy-${LAST}

A Policy Is Searched
    Given The Administrator Has Logged In
    When Fill Text    role=searchbox[name="Search"]    policy-${LAST}
    Then The List Should Tell    1 of ${COUNT} policies
    And A Policy Should Be In Sight    policy-${LAST}

An Editor That Is Cancelled Changes Nothing
    Given The Administrator Has Logged In
    When The Editor Is Opened Of    policy-2
    And Fill Text    role=dialog >> role=textbox[name="Comments"]    changed
    And Everybody Should Be Able To Use It
    And Click    role=dialog >> role=button[name="Cancel"]
    And The Editor Is Opened Of    policy-2
    Then Get Text    role=dialog >> role=textbox[name="Comments"]    ==    ${EMPTY}
    And Nothing Should Have Gone Wrong

An Editor Keeps What Is Changed By OK
    Given The Administrator Has Logged In
    When The Editor Is Opened Of    policy-3
    And Fill Text    role=dialog >> role=textbox[name="Comments"]    changed
    And Click    role=dialog >> role=button[name="OK"]
    And The Editor Is Opened Of    policy-3
    Then Get Text    role=dialog >> role=textbox[name="Comments"]    ==    changed
    And Nothing Should Have Gone Wrong

Policies Are Chosen By Keys
    Given The Administrator Has Logged In
    When Focus    \#list
    And Keyboard Key    press    ArrowDown
    And Keyboard Key    press    ArrowDown
    And Keyboard Key    press    Enter
    Then Get Text    role=dialog >> role=heading    ==    Edit Policy 2

A Log-Out Leads To The Log-In
    Given The Administrator Has Logged In
    When Click    role=button[name="Logout"]
    Then Wait For Elements State    id=login_button    visible
    And Go To    ${URL}/ng/firewall/policy/policy/standard
    And Get Url    contains    /login?redir=

On A Narrow Screen
    Given Set Viewport Size    390    800
    Then Get Property    html    scrollWidth    <=    ${390}
    And Everybody Should Be Able To Use It
