"""Keeps SSL VPN users connected with openconnect, each by a process and an interface of its own.

Usage: openconnect_users.py JOB RESULT

JOB is a JSON file with the users' passwords; it is read and removed at once. All users are
connected at the same time. When each of them is up, refused or late, RESULT tells what became of
them as a JSON list. The users stay until this program is told to end (SIGTERM), which logs them
out. What openconnect says goes to a file for each user, beside RESULT.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

LOOK_S = 0.02
LOG_OUT_S = 15


class Openconnect:
    """One user's openconnect.

    Args:
        job: what all users share: server, pin, script.
        user: name, number, interface, table, and the password where there is one.
        folder: of the files.
    """

    def __init__(self, job, user, folder):
        self.job, self.user = job, user
        self.stem = os.path.join(folder, "vpn-user-%d" % user["number"])
        self.state, self.log = self.stem + ".up", self.stem + ".log"
        self.process = None
        self.begun = 0.0

    def options(self):
        """The command line up to what makes a tunnel of it."""
        return [
            *("openconnect", "--protocol=fortinet", "--non-inter", "--no-dtls", "--disable-ipv6"),
            *("--servercert", self.job["pin"], "--user", self.user["name"]),
        ]

    def start(self, cookie=None):
        """Start it; the secret goes to its standard input and nowhere else."""
        secret = self.user["password"] if cookie is None else cookie
        command = [
            *self.options(),
            *("--reconnect-timeout", "5", "--interface", self.user["interface"]),
            *("--script", "sh " + self.job["script"]),
            "--passwd-on-stdin" if cookie is None else "--cookie-on-stdin",
            self.job["server"],
        ]
        own = {"VPN_TABLE": str(self.user["table"]), "VPN_STATE": self.state}
        if os.path.exists(self.state):
            os.remove(self.state)
        self.begun = time.time()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(os.environ, **own),
            )
        try:
            self.process.stdin.write(secret.encode() + b"\n")
            self.process.stdin.close()
        except OSError:  # it has ended already, and its log says why
            pass

    def up(self):
        return os.path.exists(self.state)

    def ended(self):
        return self.process.poll() is not None

    def outcome(self, patience_s):
        """Wait until it is up or has ended; what became of it."""
        give_up = self.begun + patience_s
        while not self.up() and not self.ended() and time.time() < give_up:
            time.sleep(LOOK_S)
        found = {"address": "", "routes": [], "seconds": 0.0}
        if self.up():
            found["seconds"] = round(os.stat(self.state).st_mtime - self.begun, 3)
            with open(self.state) as lines:
                for line in lines:
                    word, value = line.split()
                    if word == "address":
                        found["address"] = value
                    else:
                        found["routes"].append(value)
        elif not self.ended():
            self.end()
            found["words"] = "it was still without an address after %.0f s" % patience_s
        found.setdefault("words", "" if found["address"] else self.last_words())
        return dict(found, name=self.user["name"])

    def end(self, number=signal.SIGTERM):
        """End it and wait: SIGTERM logs out, SIGHUP leaves the session as it is."""
        if not self.ended():
            self.process.send_signal(number)
            try:
                self.process.wait(LOG_OUT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def last_words(self):
        """The end of its log in one line, without what changes from call to call."""
        with open(self.log, errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return re.sub(r"\s+", " ", " ".join(lines[-2:]))[-300:]


def take_job(path):
    """The job; its file is removed, as it holds passwords."""
    with open(path) as file:
        job = json.load(file)
    os.remove(path)
    return job


def tell(result, path):
    """Write the result at once, whole."""
    with open(path + ".new", "w") as file:
        json.dump(result, file)
    os.replace(path + ".new", path)


def main():
    job, result = take_job(sys.argv[1]), sys.argv[2]
    told_to_end = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told_to_end.set())
    tell(os.getpid(), result + ".process")
    users = [Openconnect(job, user, os.path.dirname(result)) for user in job["users"]]
    for user in users:
        user.start()
    outcomes = [None] * len(users)
    for index, user in enumerate(users):
        if told_to_end.is_set():
            break
        outcomes[index] = user.outcome(job["patience_s"])
    else:
        tell(outcomes, result)
        while not told_to_end.is_set() and not all(user.ended() for user in users):
            told_to_end.wait(0.5)
    for user in users:  # all at once, then one after the other is waited for
        if not user.ended():
            user.process.send_signal(signal.SIGTERM)
    for user in users:
        user.end()


if __name__ == "__main__":
    main()
