*** Settings ***
Documentation       Does this security gateway do what the customer ordered?
...
...                 Each chapter below is a group of promises. A check *passes* when the figure and
...                 the evidence hold. It *fails* when the gateway does not do what it should. It is
...                 skipped as *not proven* when the test set-up could not tell, and as *not applicable*
...                 when the order does not ask for it. The gateway may be handed over only if
...                 every check that the order calls for passed.
Resource            ../resources/gatepass.resource

Suite Setup         Begin The Run    ${ORDER}    ${TESTBED}    ${PROFILE}    ${RUN FOLDER}
Suite Teardown      End The Run
