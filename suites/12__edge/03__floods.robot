*** Settings ***
Documentation       A DoS policy holds floods and scans, and nothing else. A flood goes to one host whoever
...                 sends it; a scan comes from one host wherever it goes.
Resource            ../../resources/floods.resource

Test Template       A Flood Is Held, And Nothing Else


*** Test Cases ***                                  OF
A Flood Of SYN Segments Is Held                     SYN Flood
A Flood Of UDP Datagrams Is Held                    UDP Flood
A Flood Of ICMP Messages Is Held                    ICMP Flood
A Scan Of TCP Ports Is Held                         Scan Of TCP Ports
A Scan Of UDP Ports Is Held                         Scan Of UDP Ports
A Sweep By ICMP Is Held                             ICMP Sweep
