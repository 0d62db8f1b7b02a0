*** Settings ***
Name                Policy enforcement
Documentation       The gateway permits what a policy names, blocks all else whatever it looks like, and
...                 keeps to the order of its policies. Throughput is worth nothing on a firewall that
...                 lets everything through.

Test Tags           enforcement
