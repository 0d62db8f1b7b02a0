#!/bin/sh
# What openconnect calls when a VPN user's tunnel comes up or goes down.
#
# The user's routes stand in a routing table of the user's own, which only packets from the user's
# address or with the user's mark (the table's number) look at: many users share this host, and
# nobody's routes change its own. Nothing else is touched: no DNS, no default route.
#
# From openconnect: reason, TUNDEV, INTERNAL_IP4_ADDRESS, INTERNAL_IP4_MTU, CISCO_SPLIT_INC*.
# From gatepass: VPN_TABLE, the table's number; VPN_STATE, the file that tells of a tunnel that is
# up, a word and its value a line.

# Addresses and numbers are all that is taken of the gateway's words; with anything else there is no
# tunnel, and openconnect's log says why.

set -f

must_be() {  # a name, the letters that it may have, and what the gateway told
    case $3 in
    '' | *[!$2]*)
        echo "The gateway's $1 is none." >&2
        exit 1
        ;;
    esac
}

routes() {
    if [ -z "$CISCO_SPLIT_INC" ]; then
        echo 0.0.0.0/0
        return
    fi
    must_be "number of routes" 0-9 "$CISCO_SPLIT_INC"
    n=0
    while [ "$n" -lt "$CISCO_SPLIT_INC" ]; do
        eval "route=\$CISCO_SPLIT_INC_${n}_ADDR/\$CISCO_SPLIT_INC_${n}_MASKLEN"
        must_be route 0-9./ "$route"
        echo "$route"
        n=$((n + 1))
    done
}

case $reason in
connect)
    set -e
    must_be address 0-9. "$INTERNAL_IP4_ADDRESS"
    must_be MTU 0-9 "${INTERNAL_IP4_MTU:=1400}"
    routes=$(routes)
    # answers come in where the host's own routes would not look for them
    echo 2 >"/proc/sys/net/ipv4/conf/$TUNDEV/rp_filter"
    ip link set dev "$TUNDEV" mtu "$INTERNAL_IP4_MTU" up
    ip address add "$INTERNAL_IP4_ADDRESS/32" dev "$TUNDEV"
    for route in $routes; do
        ip route add "$route" dev "$TUNDEV" table "$VPN_TABLE"
    done
    ip rule add from "$INTERNAL_IP4_ADDRESS" lookup "$VPN_TABLE" pref 200
    ip rule add fwmark "$VPN_TABLE" lookup "$VPN_TABLE" pref 200
    {
        echo "address $INTERNAL_IP4_ADDRESS"
        for route in $routes; do echo "route $route"; done
    } >"$VPN_STATE.new"
    mv "$VPN_STATE.new" "$VPN_STATE"
    ;;
disconnect)
    rm -f "$VPN_STATE"
    while ip rule del lookup "$VPN_TABLE"; do :; done 2>/dev/null
    ip route flush table "$VPN_TABLE" 2>/dev/null
    ip address flush dev "$TUNDEV" 2>/dev/null
    ;;
esac
exit 0
