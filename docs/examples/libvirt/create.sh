#!/bin/sh
# Makes networks and machines; run it as root on the machine that has libvirt.
#
#   create.sh FORTIOS.qcow2 DEBIAN.qcow2
#
# FORTIOS.qcow2 is from Fortinet's "New deployment" archive for KVM, DEBIAN.qcow2 Debian's genericcloud image.
set -eu
fortios=${1:?which image of FortiOS? create.sh FORTIOS.qcow2 DEBIAN.qcow2}
debian=${2:?which image of Debian? create.sh FORTIOS.qcow2 DEBIAN.qcow2}
here=$(cd "$(dirname "$0")" && pwd)
images=${IMAGES-/var/lib/libvirt/images}
[ -f "$here/site/id_ed25519.pub" ] || "$here/../make-keys.sh" "$here/site"

for network in management client server direct; do
  virsh net-define "$here/$network.xml"
  virsh net-start "gatepass-$network"
done

cp "$fortios" "$images/gatepass-gateway.qcow2"
qemu-img create -q -f qcow2 "$images/gatepass-gateway-log.qcow2" 30G
virsh define "$here/gateway.xml"
virsh start gatepass-gateway

endpoint() {   # name, fifth part of its cards' hardware addresses
  cp "$debian" "$images/gatepass-$1.qcow2"
  cat > "$here/site/$1-user-data" <<END
#cloud-config
hostname: $1
disable_root: false
users:
  - name: root
    ssh_authorized_keys: ["$(cat "$here/site/id_ed25519.pub")"]
ssh_deletekeys: true
ssh_genkeytypes: []
ssh_keys:
  ed25519_private: |
$(sed 's/^/    /' "$here/site/$1_host_key")
  ed25519_public: $(cat "$here/site/$1_host_key.pub")
END
  virt-install --name "gatepass-$1" --memory 2048 --vcpus 2 --cpu host-passthrough \
    --osinfo detect=on,require=off --import --noautoconsole --graphics none \
    --disk "path=$images/gatepass-$1.qcow2,bus=virtio" \
    --network "network=gatepass-management,model=virtio,mac=52:54:00:67:70:${2}1" \
    --network "network=gatepass-$1,model=virtio,mac=52:54:00:67:70:${2}2" \
    --network "network=gatepass-direct,model=virtio,mac=52:54:00:67:70:${2}3" \
    --cloud-init "user-data=$here/site/$1-user-data,network-config=$here/$1-network.yaml"
}
endpoint client 1
endpoint server 2
