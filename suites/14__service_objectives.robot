*** Settings ***
Name                Classes of service
Documentation       Each class of service that the order names, told by the DSCP of its packets, gets what
...                 it was promised: rates, loss, delay, variation and availability, both ways, after
...                 ITU-T Y.1564. First each class alone, in steps; then all of them at once.
Resource            ../resources/firewall.resource

Test Tags           objectives    load


*** Test Cases ***
Every Class Gets Its Committed Rate
    [Documentation]    Each alone, at 25, 50, 75 and 100 % of it.
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When The Classes Are Sent In Steps, One At A Time
    Then Every Class Should Get Its Committed Rate

Every Class Gets Its Excess Rate
    [Documentation]    Each alone, while there is room for all of it.
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When The Classes Are Sent In Steps, One At A Time
    Then Every Class Should Get Its Excess Rate

No Class Gets More Than Was Agreed
    [Documentation]    Each alone, offered a quarter more: policing.
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When The Classes Are Sent In Steps, One At A Time
    Then No Class Should Get More Than Was Agreed

Hardly Any Frame Of A Class Is Lost
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then No Class Should Lose More Than Is Allowed

Every Class Is In Time
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then Every Class Should Be In Time

Every Class Is Even
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then Every Class Should Be Even

Every Frame Arrives Once, In Order And As It Was Marked
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then Every Frame Should Arrive Once, In Order And As It Was Marked

No Second Is Severely Impaired
    [Documentation]    In none is more than half of a class's frames lost.
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then No Second Should Be Severely Impaired

Every Class Is Available
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent At Once
    Then Every Class Should Be Available

Classes Are Served As Promised Beside An Overload
    [Documentation]    While the last class of the order sends far more than the tier carries.
    Given The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic
    When All Classes Are Sent Beside An Overload Of The Last
    Then All But The Last Should Be Served As Promised
