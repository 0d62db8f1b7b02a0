*** Settings ***
Documentation       What the gateway can do with one host.
Resource            ../../resources/firewall.resource


*** Test Cases ***
A Banned Host Falls Silent, And Is Let In Again
    [Documentation]    A host that is put into quarantine while it sends. How long both took is told.
    Given The Test Traffic Is Permitted
    When The Client Is Banned And Let In Again While It Sends
    Then It Should Have Been Silent While It Was Banned
    And It Should Have Been Let In Again After
