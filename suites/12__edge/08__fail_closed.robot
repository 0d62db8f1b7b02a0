*** Settings ***
Documentation       What passes while the gateway cannot inspect. The testbed's own commands bring that
...                 about, and end it (gateway.troubles); a gateway has to fail closed.
Resource            ../../resources/fail_closed.resource

Suite Setup         The Security Services Are Prepared
Test Tags           fail_closed
Test Template       Nothing Uninspected Passes Meanwhile


*** Test Cases ***                                         TROUBLE
Nothing Uninspected Passes While The Inspection Is Gone    inspection
Nothing Uninspected Passes While The Licence Is Gone       licence
Nothing Uninspected Passes While Memory Is Short           memory
