*** Settings ***
Documentation       What a service manager sees of an approved, a rejected and a not proven run.
Resource            certificate.resource

Suite Setup         A Browser Is There
Test Teardown       Close Context


*** Test Cases ***
An Approved Run Of Every Chapter
    Given The Page Is Opened    whole
    Then The Verdict Should Be    Approved    The gateway may be handed over to the customer.
    And There Should Be No Reason
    And Each Chart Should Have Words And Be Drawn    4
    And The Page Is In Order    whole    en

Every Promise Of An Approved Run
    Given The Page Is Opened    whole
    Then The Promise Should Be Shown    Stateful throughput    307.5    pass
    And The Promise Should Be Shown    Throughput with security services    189    pass
    And The Promise Should Be Shown    IPsec tunnels    100 tunnels    pass
    And The Promise Should Be Shown    VPN users    200 users    pass
    And The Promise Should Be Shown    Proxy users    300 users    pass
    And The Promise Should Be Shown    IPsec throughput    94    pass
    And The Promise Should Be Shown    Remote access throughput    282    pass

A Rejected Run
    Given The Page Is Opened    rejected
    Then The Verdict Should Be    Rejected    The gateway must not be handed over.
    And A Reason Should Be Shown    292 Mbit/s at most; promised was at least 300 Mbit/s
    And A Reason Should Be Shown    The server saw another address
    And The Promise Should Be Shown    Stateful throughput    287.4    fail
    And The Promise Should Be Shown    Throughput with security services    The order does not include    not tested
    And Each Chart Should Have Words And Be Drawn    2
    And The Page Is In Order    rejected    en

A Run That Proved Nothing
    Given The Page Is Opened    not-proven
    Then The Verdict Should Be    Not proven    cannot be decided
    And A Reason Should Be Shown    no longer answers over SSH
    And The Promise Should Be Shown    Stateful throughput    309.2    not proven
    And The Page Is In Order    not-proven    en

A Run That Went Wrong From End To End
    Given The Page Is Opened    everything-wrong
    Then The Verdict Should Be    Rejected    The gateway must not be handed over.
    And A Reason Should Be Shown    Further causes, under “Causes in full”:
    And The Page Is In Order    everything-wrong    en

An Approved Run In Finnish
    Given The Page Is Opened    finnish
    Then The Verdict Should Be    Hyväksytty    Palomuurin saa luovuttaa asiakkaalle.
    And The Promise Should Be Shown    Palomuurin läpäisykyky    307,5    hyväksytty
    And The Promise Should Be Shown    VPN-käyttäjät    200 käyttäjää    hyväksytty
    And The Page Is In Order    finnish    fi

An Approved Run In Swedish
    Given The Page Is Opened    swedish
    Then The Verdict Should Be    Godkänd    Brandväggen får överlämnas till kunden.
    And The Promise Should Be Shown    Brandväggsgenomströmning    307,5    godkänd
    And The Promise Should Be Shown    VPN-användare    200 användare    godkänd
    And The Page Is In Order    swedish    sv

A Run Of More Checks Than There Are
    Given The Page Is Opened    full
    Then The Verdict Should Be    Hyväksytty    Palomuurin saa luovuttaa asiakkaalle.
    And The Page Is In Order    full    fi

On A Telephone
    Given The Page Is Opened On A Telephone    whole
    Then The Page Should Fit
    When The Page Is Opened On A Telephone    not-proven
    Then The Page Should Fit
    When The Page Is Opened On A Telephone    everything-wrong
    Then The Page Should Fit
    When The Page Is Opened On A Telephone    finnish
    Then The Page Should Fit
    When The Page Is Opened On A Telephone    swedish
    Then The Page Should Fit

In The Dark
    Given The Page Is Opened In The Dark    whole
    Then Every Text Should Stand Out


*** Keywords ***
The Page Is In Order
    [Documentation]    What holds for each of them.
    [Arguments]    ${name}    ${language}
    Get Attribute    html    lang    ==    ${language}
    The Console Should Be Silent
    Every Text Should Stand Out
    Everybody Should Be Able To Use It
    Nothing Should Stick Out
    A Picture Is Taken    ${name}
