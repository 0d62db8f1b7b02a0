*** Settings ***
Documentation       The rate while services are shown to inspect: large files, many small ones, and a
...                 mix, so that the figure is not of one kind of traffic only.
Resource            ../../resources/services.resource

Test Template       The Tier Is Reached With ${traffic}
Test Tags           downloads


*** Test Cases ***            TRAFFIC
FTP Downloads
    [Tags]    large_file
    a large file over FTP
HTTP Downloads
    [Tags]    large_file
    a large file over HTTP
Objects Of 16 KB Over HTTP    objects of 16 KB
Objects Of 64 KB Over HTTP    objects of 64 KB
Objects Of 256 KB Over HTTP   objects of 256 KB
A Mix Of Applications         a mix of applications
