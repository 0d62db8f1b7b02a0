*** Settings ***
Name                Management page
Documentation       Administrators can work with the gateway's web page where it has many policies, and
...                 nobody else gets in: looked at with Chromium by an administrator who may only read,
...                 beside the REST API and a page that needs no gateway. Nothing is saved.
Resource            ../resources/management_gui.resource

Suite Teardown      The Browser Is Closed

Test Tags           gui


*** Test Cases ***
The Page To Log In Comes With The Pinned Certificate
    When The Log-In Page Is Opened
    Then It Should Have Come With The Pinned Certificate

The Page To Log In Keeps Out Of Frames And Of Clear Text
    [Documentation]    By its headers: pages of others cannot show it as their own, and browsers are told
    ...    to come back over HTTPS alone.
    When The Log-In Page Is Opened
    Then Its Headers Should Keep It Out Of Frames And Of Clear Text

An Administrator's Wrong Password Is Refused
    Given The Log-In Page Is Opened
    When Somebody Tries A Wrong Password
    Then They Should Not Have Been Let In

A Session's Cookie Is Out Of Reach
    [Documentation]    Of scripts, and of whoever reads along on the way.
    When The Administrator Logs In
    Then The Session's Cookie Should Be Out Of Reach

The List Of Policies Can Be Worked With, 1 Policy
    [Tags]    list    load
    The List Of Policies Can Be Worked With    1

The List Of Policies Can Be Worked With, 100 Policies
    [Documentation]    From so many on a published test found the page of a virtual firewall nearly
    ...    unusable (Hokkanen 2016).
    [Tags]    list    load
    The List Of Policies Can Be Worked With    100

The List Of Policies Can Be Worked With, 1000 Policies
    [Tags]    list    load
    The List Of Policies Can Be Worked With    1000

No Script Of The Page Fails
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When The Administrator Looks At The List
    Then No Script Of The Page Should Have Failed

A Log-Out Ends The Session
    Given The Administrator Logs In
    When The Administrator Logs Out
    Then The Session Should Have Ended

The Page Does Not Answer At Its Own And The Usual Ports On The Customer's Side
    [Documentation]    At the gateway's addresses on both sides, from the client.
    Given The Test Traffic Is Permitted
    Then The Customer's Hosts Should Not Find The Page

A Session That Nobody Uses Ends By Itself
    [Documentation]    It was begun with the run.
    When Nobody Has Used A Session Since The Run Began
    Then It Should Have Ended By Itself
