"""Runs on the client endpoint: starts VPN clients all at once, and says when all are up.

`python3 vpn_users.py FILE`: a JSON object with `command` (of a client, without its interface),
`password`, `count`, `prefix` (of the interfaces), `folder`. Writes `folder/up` with the seconds
until all were up, or why not, and stays until it is ended, as do the clients.
"""

import json
import os
import subprocess
import sys
import time

PATIENCE_S = 120


def main():
    with open(sys.argv[1]) as file:
        call = json.load(file)
    folder = call["folder"]
    os.makedirs(folder)
    began = time.monotonic()
    clients = []
    for number in range(call["count"]):
        name = call["prefix"] + str(number)
        with open(f"{folder}/{name}.log", "wb") as log:
            client = subprocess.Popen(
                [*call["command"], "-i", name], stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        client.stdin.write(call["password"].encode() + b"\n")
        client.stdin.close()
        clients.append(client)
    wanted = {f"{call['prefix']}{number}.up" for number in range(call["count"])}
    words = ""
    while not wanted <= set(os.listdir(folder)):
        if time.monotonic() - began > PATIENCE_S:
            words = f"not all were up after {PATIENCE_S} s"
        if any(client.poll() is not None for client in clients):
            words = "a client has ended"
        if words:
            break
        time.sleep(0.005)
    with open(f"{folder}/up.new", "w") as file:
        file.write(words or f"{time.monotonic() - began:.3f}")
    os.rename(f"{folder}/up.new", f"{folder}/up")
    for client in clients:
        client.wait()


main()
