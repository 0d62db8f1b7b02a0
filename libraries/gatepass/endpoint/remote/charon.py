"""Speaks to a charon over its socket by strongSwan's own `vici`; prints the answers as JSON.

Usage: charon.py SOCKET FILE, with the package `vici` beside it.

FILE holds a JSON list of [COMMAND, MESSAGE] and is removed as soon as it is read, because it may
hold secrets. Commands are VICI's own; one that streams (list-...) is answered with the list of its
events, one that fails with its "errmsg". One is not: ["raise", {"children": {IKE: [CHILD, ...]},
"timeout_s": S}] initiates all of these at once, and is answered with the seconds that each took to
come up, by "IKE/CHILD".
"""

import json
import os
import socket
import sys
import time

import vici

STREAMS = {"list-sas": "list-sa", "list-conns": "list-conn"}
LONGEST_ANSWER_S = 60
UP, LOOK_S = "child-updown", 0.05


def connected(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.settimeout(LONGEST_ANSWER_S)
    return vici.Session(connection)


def call(charon, command, message):
    stream = STREAMS.get(command)
    if stream:
        return list(charon.streamed_request(command, stream, message))
    try:
        return charon.request(command, message)
    except vici.exception.CommandException as error:
        return {"success": "no", "errmsg": str(error).replace("Command failed: ", "", 1)}


def raise_all(path, children, timeout_s):
    """Seconds until each of the children was up; those that did not come up are not among them.

    Events come over a connection of their own, so that none is missed between two answers.
    """
    wanted = {"%s/%s" % (ike, child) for ike, names in children.items() for child in names}
    events, order = connected(path).listen([UP], LOOK_S), connected(path)
    next(events)  # from the first look on they are heard of
    begun, came = time.monotonic(), {}
    for ike, names in children.items():
        for child in names:
            # below 0: the answer does not wait until it is up
            call(order, "initiate", {"ike": ike, "child": child, "timeout": "-1"})
    for _, event in events:
        now = time.monotonic() - begun
        if event and event.get("up") == b"yes":
            for ike, sa in event.items():
                for child in sa.get("child-sas", {}).values() if isinstance(sa, dict) else ():
                    came.setdefault("%s/%s" % (ike, child["name"].decode()), now)
        if not wanted - set(came) or now > timeout_s:
            break
    return {name: round(seconds, 4) for name, seconds in came.items() if name in wanted}


def main():
    path, file = sys.argv[1:]
    with open(file) as stream:
        requests = json.load(stream)
    os.remove(file)
    answers = []
    for command, message in requests:
        if command == "raise":
            answers.append(raise_all(path, message["children"], message["timeout_s"]))
        else:
            answers.append(call(connected(path), command, message))
    json.dump(answers, sys.stdout, default=lambda data: data.decode(errors="replace"))


try:
    main()
except (OSError, vici.exception.SessionException) as error:
    sys.exit("charon does not answer: %s" % error)
