*** Settings ***
Name                Security services
Documentation       Security services inspect what passes: viruses, blocked sites, attacks, unwanted
...                 applications and file types are stopped, and everything else arrives unaltered.
...                 Only where that is shown does a rate with services on count.
Resource            ../../resources/services.resource

Suite Setup         The Security Services Are Prepared
Test Tags           security_services
