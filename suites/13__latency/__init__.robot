*** Settings ***
Name                Delay
Documentation       How much later packets come because of the gateway. A slow answer is felt in each
...                 call and on each page, however many megabits there are.
Resource            ../../resources/latency.resource

Suite Setup         Test Traffic Is Permitted Over IPv4 And IPv6
Test Tags           latency    load
