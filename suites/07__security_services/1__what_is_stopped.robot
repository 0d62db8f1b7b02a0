*** Settings ***
Documentation       What is harmful, and beside it what is harmless. By proxy the gateway takes in all
...                 of a file before it passes a byte on.
Resource            ../../resources/services.resource

Test Template       The Services Stop It And Nothing Else


*** Test Cases ***                 STOPPED                       ARRIVES                      OVER     INSPECTED
A Virus Over HTTP                  the virus test file           a clean file                 HTTP     on
A Virus Over FTP                   the virus test file           a clean file                 FTP      on
A Blocked Site Over HTTP           the page of a blocked host    the page of its neighbour    HTTP     on
A Blocked Site Over HTTPS          the page of a blocked host    the page of its neighbour    HTTPS    on
An Attack                          an exploit-like request       a harmless request           HTTP     on
An Unwanted Application            a controlled application      another application          HTTP     on
An Unwanted File Type Over HTTP    a file of a filtered type     a file of another type       HTTP     on
An Unwanted File Type Over FTP     a file of a filtered type     a file of another type       FTP      on
A Virus Over HTTP, By Proxy        a virus in a large archive    a clean archive              HTTP     on by proxy
A Virus Over FTP, By Proxy         a virus in a large archive    a clean archive              FTP      on by proxy
A Blocked Site, By Proxy           the page of a blocked host    the page of its neighbour    HTTPS    on by proxy
