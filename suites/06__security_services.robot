*** Settings ***
Documentation       Security services inspect what passes: viruses, blocked sites, attacks, unwanted
...                 applications and file types are stopped, and everything else arrives unaltered.
...                 Only where that is shown does a rate with services on count.
Resource            ../resources/services.resource

Suite Setup         The Security Services Are Prepared
Test Template       The Services Stop It And Nothing Else
Test Tags           security_services


*** Test Cases ***                 STOPPED                       ARRIVES                      OVER
A Virus Over HTTP                  the virus test file           a clean file                 HTTP
A Virus Over FTP                   the virus test file           a clean file                 FTP
A Blocked Site Over HTTP           the page of a blocked host    the page of its neighbour    HTTP
A Blocked Site Over HTTPS          the page of a blocked host    the page of its neighbour    HTTPS
An Attack                          an exploit-like request       a harmless request           HTTP
An Unwanted Application            a controlled application      another application          HTTP
An Unwanted File Type Over HTTP    a file of a filtered type     a file of another type       HTTP
An Unwanted File Type Over FTP     a file of a filtered type     a file of another type       FTP

A Virus Over HTTP, By Proxy
    [Template]    A Proxy Stops It And Nothing Else
    a virus in a large archive    a clean archive    HTTP

A Virus Over FTP, By Proxy
    [Template]    A Proxy Stops It And Nothing Else
    a virus in a large archive    a clean archive    FTP

A Blocked Site, By Proxy
    [Template]    A Proxy Stops It And Nothing Else
    the page of a blocked host    the page of its neighbour    HTTPS

A Blocked Country
    [Template]    NONE
    Given Security Services Are Off
    When The Country That The Server Lies In Is Blocked
    Then The Server Should Be Out Of Reach
    When The Server Is Moved To Another Country
    Then The Server Should Be In Reach
    [Teardown]    The Country Is Blocked No More

FTP Downloads
    [Tags]    downloads    large_file
    [Template]    Downloads With Services On Reach The Tier
    FTP

HTTP Downloads
    [Tags]    downloads    large_file
    [Template]    Downloads With Services On Reach The Tier
    HTTP

Objects Of 16 KB Over HTTP
    [Tags]    downloads
    [Template]    Small Objects With Services On Reach The Tier
    16

Objects Of 64 KB Over HTTP
    [Tags]    downloads
    [Template]    Small Objects With Services On Reach The Tier
    64

Objects Of 256 KB Over HTTP
    [Tags]    downloads
    [Template]    Small Objects With Services On Reach The Tier
    256

A Mix Of Applications
    [Tags]    downloads
    [Template]    NONE
    A Mix Of Applications Reaches The Tier
