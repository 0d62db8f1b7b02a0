*** Settings ***
Name                Bazzi 2011
Documentation       Bazzi and Onozato 2011: what a firewall costs of the rate of a stream, by the sizes
...                 of sockets and messages, and of transactions that follow one another, by the sizes
...                 of requests and responses; each with the gateway and without it, in turns.
Resource            ../../resources/firewall.resource

Test Tags           bazzi2011


*** Test Cases ***
TCP Streams Are Known With And Without The Gateway
    Given The Test Traffic Is Permitted With Translation
    And Note What The Test Policy Has Counted
    When Streams Over TCP Are Sent With The Gateway And Without It
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Gateway In Every Trial
    And Each Figure Should Be Known

UDP Streams Are Known With And Without The Gateway
    Given The Test Traffic Is Permitted With Translation
    And Note What The Test Policy Has Counted
    When Streams Over UDP Are Sent With The Gateway And Without It
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Gateway In Every Trial
    And Each Figure Should Be Known

TCP Transactions Are Known With And Without The Gateway
    Given The Test Traffic Is Permitted With Translation
    And Note What The Test Policy Has Counted
    When Transactions Over TCP Are Made With The Gateway And Without It
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Gateway In Every Trial
    And Each Figure Should Be Known

UDP Transactions Are Known With And Without The Gateway
    Given The Test Traffic Is Permitted With Translation
    And Note What The Test Policy Has Counted
    When Transactions Over UDP Are Made With The Gateway And Without It
    Then The Test Policy Should Have Counted The Traffic
    And The Server Should Have Seen The Gateway In Every Trial
    And Each Figure Should Be Known
