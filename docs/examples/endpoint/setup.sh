#!/bin/sh
# Makes a Debian or Ubuntu machine ready as an endpoint; run it there as root. Addresses and routes are
# whoever's network it is.
#
#   setup.sh client|server|peer
set -eu

tools="openssh-server iperf3 python3 iproute2 procps util-linux nftables"
ipsec="strongswan-charon libcharon-extra-plugins libcharon-extauth-plugins libstrongswan-standard-plugins"
case ${1-} in
  client) tools="$tools curl openconnect $ipsec" ;;    # SSL VPN up to FortiOS 7.6.2, dial-up IPsec from 7.6.3 on
  server) tools="$tools nginx-light vsftpd ssl-cert" ;;
  peer)   tools="$tools $ipsec" ;;
  *) echo "setup.sh: client, server or peer?" >&2; exit 64 ;;
esac
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
apt-get install -y -q --no-install-recommends $tools

[ "$1" = server ] || exit 0

# one folder, shown over HTTP, HTTPS and FTP (passive, anonymous, read only)
mkdir -p /srv/gatepass
rm -f /etc/nginx/sites-enabled/default
cat > /etc/nginx/conf.d/gatepass.conf <<'END'
server {
    listen [::]:80 ipv6only=off backlog=4096;
    listen [::]:443 ipv6only=off ssl backlog=4096;
    ssl_certificate /etc/ssl/certs/ssl-cert-snakeoil.pem;
    ssl_certificate_key /etc/ssl/private/ssl-cert-snakeoil.key;
    root /srv/gatepass;
    access_log off;
    keepalive_requests 1000000;
}
END
cat > /etc/vsftpd.conf <<'END'
listen=NO
listen_ipv6=YES
anonymous_enable=YES
no_anon_password=YES
anon_root=/srv/gatepass
local_enable=NO
write_enable=NO
pasv_enable=YES
pasv_min_port=40000
pasv_max_port=49999
secure_chroot_dir=/var/run/vsftpd/empty
max_clients=1000
END
mkdir -p /var/run/vsftpd/empty
if [ -d /run/systemd/system ]; then systemctl restart nginx vsftpd; fi
