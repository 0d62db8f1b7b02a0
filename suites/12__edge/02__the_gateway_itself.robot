*** Settings ***
Documentation       What the gateway itself answers to a host, where a policy of its own says so (local-in),
...                 and how long it remembers what a host has begun.
Resource            ../../resources/gatepass.resource


*** Test Cases ***
A Local-In Policy Closes The Gateway's Own Address To A Host
    [Documentation]    The policy denies ping from one host; another behind the same port is answered
    ...    all the while. Whom the gateway may be managed by is not touched.
    When The Edge Was Tried Before, With And After Its Rules
    Then The Gateway Should Have Answered Both Hosts Before
    And It Should Have Been Silent To One Of Them Alone
    And It Should Have Answered Both Of Them Again After

An Idle UDP Session Ends When Its Service Says
    [Documentation]    A host outside answers at once, and once more two seconds later.
    When The Edge Was Tried Before, With And After Its Rules
    Then An Answer That Came Late Should Have Passed Where No Time Is Said
    And It Should Not Have Passed Where The Service Ends Idle Sessions
