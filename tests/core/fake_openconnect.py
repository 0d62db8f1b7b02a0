#!/usr/bin/env python3
"""Stands for openconnect and the gateway behind it: a TUN device, the script, sessions in a file.

The folder in FAKE_VPN holds `users`, a JSON of name to {password, address, split}, and what it
leaves there: `sessions`, the cookies that are good, and `seen`, every command line. A session of a
user with "expires" ends after so many seconds.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["FAKE_VPN"])
SESSIONS = FOLDER / "sessions"


def value(option):
    return sys.argv[sys.argv.index(option) + 1]


def refuse(words):
    print(words, file=sys.stderr)
    sys.exit(1)


def log_in():
    """The user of the secret on standard input, and the session's cookie."""
    users = json.loads((FOLDER / "users").read_text())
    secret = sys.stdin.readline().strip()
    SESSIONS.mkdir(exist_ok=True)
    if "--cookie-on-stdin" in sys.argv:
        if not (SESSIONS / secret).exists():
            refuse("Cookie was rejected by server; exiting.")
        return users[(SESSIONS / secret).read_text()], secret
    name = value("--user")
    if name not in users or users[name]["password"] != secret:
        refuse(
            "Got HTTP response: HTTP/1.1 405 Method Not Allowed\nFailed to complete authentication"
        )
    cookie = f"SVPNCOOKIE-{name}-{time.time_ns()}"
    (SESSIONS / cookie).write_text(name)
    return users[name], cookie


def script(reason, device, user):
    environment = {
        **os.environ,
        "reason": reason,
        "TUNDEV": device,
        "INTERNAL_IP4_ADDRESS": user["address"],
        "INTERNAL_IP4_MTU": "1400",
    }
    if user["split"]:
        environment["CISCO_SPLIT_INC"] = str(len(user["split"]))
        for number, network in enumerate(user["split"]):
            address, length = network.split("/")
            environment[f"CISCO_SPLIT_INC_{number}_ADDR"] = address
            environment[f"CISCO_SPLIT_INC_{number}_MASKLEN"] = length
    subprocess.run(value("--script"), shell=True, env=environment, check=True)


def main():
    with (FOLDER / "seen").open("a") as seen:
        seen.write(" ".join(sys.argv) + "\n")
    if "--version" in sys.argv:
        print("OpenConnect version v9.01")
        return
    user, cookie = log_in()
    if "--authenticate" in sys.argv:
        print(f"COOKIE='{cookie}'\nHOST='gateway'")
        return
    device = value("--interface")
    subprocess.run(["ip", "tuntap", "add", "dev", device, "mode", "tun"], check=True)
    came = []
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: came.append(number))
    time.sleep(user.get("takes", 0))
    script("connect", device, user)
    end = time.monotonic() + user.get("expires", 60)
    while not came and time.monotonic() < end:
        time.sleep(0.02)
    script("disconnect", device, user)
    subprocess.run(["ip", "link", "del", device], check=True)
    if signal.SIGHUP not in came and (SESSIONS / cookie).exists() and not user.get("stays"):
        (SESSIONS / cookie).unlink()


main()
