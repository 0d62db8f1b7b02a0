"""Many VPN users at once, each with traffic of its own; prints what became of it as JSON.

Usage: vpn_traffic.py JOB

JOB is a JSON file: the users (address, interface), the server's address and port, where a
responder tells each caller the address that it sees, and for how many seconds they ask. Then each
user sends a datagram into its own tunnel to the next one's address; whoever gets it is told of. As
many go to the server, whose answers show that datagrams sent in this way arrive at all.
"""

import asyncio
import json
import select
import socket
import struct
import sys
import time
from contextlib import suppress

TIMEOUT_S = 3.0
PAUSE_S = 0.02
LISTEN_S = 1.5
OUTGOING = 4
ETH_P_IP = 0x0800
DISCARD = 9
SOURCE_PORT = 5309
TRIES = 2
TOKEN = b"from one VPN user to another"


async def ask(user, server, until):
    """Ask the server again and again from the user's address."""
    answer = {"answers": {}, "failed": 0, "reason": ""}
    while time.monotonic() < until:
        try:
            connection = asyncio.open_connection(*server, local_addr=(user["address"], 0))
            reader, writer = await asyncio.wait_for(connection, TIMEOUT_S)
            try:
                seen = (await asyncio.wait_for(reader.read(64), TIMEOUT_S)).decode()
            finally:
                writer.close()
            answer["answers"][seen] = answer["answers"].get(seen, 0) + 1
        except (OSError, asyncio.TimeoutError) as error:
            answer["failed"] += 1
            answer["reason"] = answer["reason"] or str(error) or "no answer in time"
        await asyncio.sleep(PAUSE_S)
    return answer


def checksum(header):
    total = sum(struct.unpack("!%dH" % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagram(source, target, port, content):
    """An IPv4 packet with a UDP datagram; made here, as the host would keep it to itself."""
    udp = struct.pack("!HHHH", SOURCE_PORT, port, 8 + len(content), 0) + content
    ends = socket.inet_aton(source) + socket.inet_aton(target)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0) + ends
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + udp


def reach_neighbours(users, server):
    """Who got a neighbour's datagram, as [sender, receiver]; and who was answered by the server."""
    arrived, answered = set(), set()
    interfaces = {user["interface"] for user in users}
    addresses = {socket.inet_aton(user["address"]): at for at, user in enumerate(users)}
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP)) as wire:
        for at, user in enumerate(users):
            neighbour = users[(at + 1) % len(users)]["address"]
            for target, port, content in ((neighbour, DISCARD, TOKEN), (*server, b"?")):
                packet = datagram(user["address"], target, port, content)
                # a tunnel that is gone answers for its own user alone
                with suppress(OSError):
                    for _ in range(TRIES):
                        wire.sendto(packet, (user["interface"], ETH_P_IP))
        until = time.monotonic() + LISTEN_S
        while time.monotonic() < until:
            if not select.select([wire], [], [], 0.1)[0]:
                continue
            packet, where = wire.recvfrom(2048)
            source, target = packet[12:16], addresses.get(packet[16:20])
            if where[0] not in interfaces or where[2] == OUTGOING or target is None:
                continue
            if packet[28:] == TOKEN and source in addresses:
                arrived.add((addresses[source], target))
            elif packet[22:24] == struct.pack("!H", SOURCE_PORT):
                answered.add(target)
    return {"arrived": sorted(arrived), "answered": sorted(answered)}


async def all_ask(users, server, seconds):
    until = time.monotonic() + seconds
    return await asyncio.gather(*(ask(user, server, until) for user in users))


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    users, loop = job["users"], asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    server = job["server"], job["port"]
    asked = loop.run_until_complete(all_ask(users, server, job["seconds"]))
    json.dump(dict(reach_neighbours(users, server), asked=asked), sys.stdout)


if __name__ == "__main__":
    main()
