*** Settings ***
Name                Site-to-site VPN
Documentation       Tunnels to other sites carry traffic encrypted as agreed and never in clear, as
...                 many at once as the tier promises, and they come back and renew their keys
...                 without anybody's help.
Resource            ../../resources/site_to_site.resource

Suite Setup         The Peer Is Ready And A Tunnel With Short-Lived Keys Is At Work
Test Tags           site_to_site
