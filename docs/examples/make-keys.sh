#!/bin/sh
# Makes what a testbed's file names: the key of the log-in, host keys of the endpoints, and a CA with a
# certificate for the gateway, together with the lines that put it on a FortiGate. What is there
# stays, but for the gateway's certificate.
#
#   make-keys.sh FOLDER [--gateway ADDRESS] [--client ADDRESS] [--server ADDRESS]
set -eu
umask 077

gateway=192.0.2.2 client=192.0.2.11 server=192.0.2.12
folder=${1:?which folder? make-keys.sh FOLDER [--gateway ADDRESS] [--client ADDRESS] [--server ADDRESS]}
shift
while [ $# -gt 1 ]; do
  case $1 in
    --gateway) gateway=$2 ;;
    --client)  client=$2 ;;
    --server)  server=$2 ;;
    *) break ;;
  esac
  shift 2
done
[ $# -eq 0 ] || { echo "make-keys.sh: '$1' is none of --gateway, --client, --server with an address" >&2; exit 64; }
mkdir -p "$folder"
cd "$folder"

ssh_key() {   # file, comment
  [ -f "$1" ] || ssh-keygen -q -t ed25519 -N '' -C "$2" -f "$1"
}
ssh_key id_ed25519 gatepass
ssh_key client_host_key client
ssh_key server_host_key server
[ -f known_hosts ] || printf '%s %s\n' \
  "$client" "$(cut -d' ' -f1,2 client_host_key.pub)" \
  "$server" "$(cut -d' ' -f1,2 server_host_key.pub)" > known_hosts

if [ ! -f gateway-ca.pem ]; then
  openssl req -x509 -newkey rsa:3072 -nodes -days 825 -subj '/CN=Gatepass testbed CA' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout gateway-ca.key -out gateway-ca.pem 2>/dev/null
fi
case $gateway in      # what stands in the URL has to stand in the certificate
  *:*)       name=IP:$gateway ;;
  *[!0-9.]*) name=DNS:$gateway ;;
  *)         name=IP:$gateway ;;
esac
openssl req -new -newkey rsa:2048 -nodes -subj "/CN=$gateway" -keyout gateway.key -out gateway.csr 2>/dev/null
printf '%s\n' "subjectAltName=$name" 'basicConstraints=CA:FALSE' 'extendedKeyUsage=serverAuth' \
  'keyUsage=critical,digitalSignature,keyEncipherment' \
  'subjectKeyIdentifier=hash' 'authorityKeyIdentifier=keyid' > gateway.ext
openssl x509 -req -in gateway.csr -CA gateway-ca.pem -CAkey gateway-ca.key -CAcreateserial -days 825 \
  -extfile gateway.ext -out gateway.pem 2>/dev/null
rm gateway.csr gateway.ext

# for the console, or at the end of a start-up configuration
cat > gateway-certificate.cfg <<END
config vpn certificate local
    edit "gatepass"
        set private-key "$(cat gateway.key)"
        set certificate "$(cat gateway.pem)"
    next
end
config system global
    set admin-server-cert "gatepass"
end
END
echo "$folder: id_ed25519, known_hosts, gateway-ca.pem, and gateway-certificate.cfg for the console of $gateway."
