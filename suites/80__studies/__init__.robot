*** Settings ***
Name                Published methods
Documentation       Published methods, each carried out whole: with its own conditions and its own
...                 stopping rule, and with a page on which its tables stand beside the published
...                 figures. They tell what the gateway can do; where the order has a figure for it,
...                 the gateway is held to it. An order names those that belong to it.

Test Tags           study    load
