*** Settings ***
Name                Web proxy
Documentation       The web proxy serves as many users at once as the tier promises, gives each one
...                 the answer that is theirs, and refuses whom no policy permits. A user who is
...                 not served has no web at all.
Resource            ../resources/gatepass.resource

Test Tags           proxy


*** Test Cases ***
The Proxy Refuses Whom No Policy Permits
    Given The Explicit Proxy Is On
    Then The Proxy Should Refuse The Client

The Promised Users Are Served At Once
    [Tags]    load    users
    Given The Explicit Proxy Is On
    And The Client Is Permitted To Use It
    When The Promised Number Of Users Asks At Once
    Then Every User Should Be Served
    And No User Should Get The Answer Of Another
    And Hardly Any Transaction Should Fail
