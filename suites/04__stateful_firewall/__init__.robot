*** Settings ***
Name                Stateful firewall
Documentation       The gateway carries the throughput that the customer bought, whatever the size
...                 of the rule set, with and without address translation. Everybody behind a
...                 gateway that is slower than ordered waits for every page and every file.
