*** Settings ***
Documentation       One tunnel of each proposal that the order asks for, and what it carries.
Resource            ../../resources/site_to_site.resource

Test Template       A Tunnel Carries What Was Agreed
Test Tags           throughput


*** Test Cases ***                  PROPOSAL
AES256-GCM, DH 14                   aes256gcm-dh14
AES256, SHA256, DH 14               aes256-sha256-dh14
AES128, SHA256, DH 14               aes128-sha256-dh14
AES128, SHA256, DH 5                aes128-sha256-dh5
3DES, SHA1, DH 2                    3des-sha1-dh2
