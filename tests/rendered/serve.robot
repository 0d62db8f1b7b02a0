*** Settings ***
Documentation       What somebody sees who looks at many runs.
Resource            serve.resource

Suite Setup         A Browser Is There
Test Teardown       Close Context


*** Test Cases ***
All Runs, And Those Of One Kind
    Given The Page Is Opened    /
    Then The Runs Should Be    ${BROKEN}    ${FLEET}/a    ${SECOND}    ${FIRST}
    And It Should Be Usable
    When Runs Are Chosen By    Customer    First Oy
    Then The Runs Should Be    ${SECOND}    ${FIRST}
    When Runs Are Chosen By    Verdict    approved
    And Runs Are Chosen By    Customer    any
    Then The Runs Should Be    ${FLEET}/a    ${SECOND}    ${FIRST}

Two Runs Are Compared
    Given The Page Is Opened    /
    When Two Runs Are Marked    ${FIRST}    ${SECOND}
    And They Are Compared
    Then The Page Should Say    1 figure changed by more than runs of an unchanged gateway differ by.
    And The Page Should Say    The gateway's shaper "sgw-200" was 320 and is 261 Mbit/s.
    And It Should Be Usable

The Pages Of A Run
    Given The Page Is Opened    /runs/${FIRST}
    Then The Run Should Be    Approved
    And It Should Be Usable
    When Click    role=link[name="Certificate"]
    Then Get Text    h2#decision    ==    Approved

A Page That A Run Has Left Leads To Another Of It
    Given The Page Is Opened    /files/${FIRST}/failures/a/index.html
    When Click    role=link[name="Certificate"]
    Then Get Text    h2#decision    ==    Approved

A Run Is Watched Until It Has Its Verdict
    Given The Page Is Opened    /
    When A Run Begins
    Then The Page Should Say    Beginning. 0 of 4 checks.
    When Click    role=link[name="${LIVE}"]
    And Its Chapter Begins    Before the test
    And A Check Begins    The Gateway Is The One That Was Ordered
    Then It Should Be At    Chapter “Before the test”. At work: The Gateway Is The One That Was Ordered.
    When The Check Ends    fail    It is an SGW-50.
    Then The Page Should Say    1 of 4 checks.
    And The Page Should Say    It is an SGW-50.
    And It Should Be Usable
    When The Run Ends    rejected
    Then The Run Should Be    Rejected
    And The Page Should Say    What it has left

A Run That Is Killed
    Given A Run Begins
    And The Page Is Opened    /runs/${LIVE}
    And The Run Should Be    Under way
    When The Run Is Killed
    Then The Run Should Be    Broken off

On A Telephone
    Given The Page Is Opened On A Telephone    /
    Then Get Property    html    scrollWidth    <=    ${390}
    When The Page Is Opened On A Telephone    /runs/${FIRST}
    Then Get Property    html    scrollWidth    <=    ${390}
    When The Page Is Opened On A Telephone    /compare?run=${FIRST}&run=${SECOND}
    Then Get Property    html    scrollWidth    <=    ${390}
