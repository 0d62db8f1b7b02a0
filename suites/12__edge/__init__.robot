*** Settings ***
Name                The edge of the network
Documentation       What the gateway does at the edge of the customer's network: it translates addresses,
...                 withstands floods, gives out addresses and tells hosts from those that pretend to be them.

Test Tags           edge
