"""Uses the session of an SSL VPN user once more when it should be over.

Usage: openconnect_replay.py JOB RESULT

Logs in with openconnect, connects with the cookie that the gateway gave, ends the session and
connects with the same cookie again. The cookie is in this program's memory and on openconnect's
standard input, nowhere else. RESULT tells as JSON of the first connection, of the second, and how
the first ended. JOB is removed at once, as it holds the password; its "after" says how the session
ends: "logout" (the user's) or "expiry" (waited for).
"""

import re
import signal
import subprocess
import sys
import time

from openconnect_users import Openconnect, os, take_job, tell

COOKIE = re.compile(r"^COOKIE='?([^'\n]*)'?$", re.MULTILINE)


def log_in(user):
    """The session's cookie; empty where the gateway refuses or does not answer."""
    try:
        with open(user.log, "ab") as log:
            done = subprocess.run(
                [*user.options(), "--passwd-on-stdin", "--authenticate", user.job["server"]],
                input=user.user["password"].encode() + b"\n",
                stdout=subprocess.PIPE,
                stderr=log,
                timeout=user.job["patience_s"],
                check=False,
            )
    except subprocess.TimeoutExpired:
        return ""
    found = COOKIE.search(done.stdout.decode(errors="replace"))
    return found.group(1) if found else ""


def end_session(user, after, patience_s):
    """Have the session end; whether the gateway ended it, and after how many seconds."""
    if after == "logout":
        user.end(signal.SIGTERM)
        return {"by_gateway": False, "seconds": 0.0}
    give_up = time.monotonic() + patience_s
    while not user.ended() and time.monotonic() < give_up:
        time.sleep(0.1)
    ended = {"by_gateway": user.ended(), "seconds": round(time.time() - user.begun, 1)}
    user.end(signal.SIGHUP)  # where it still lives: without a logout, so that only time ends it
    return ended


def main():
    job, result = take_job(sys.argv[1]), sys.argv[2]
    user = Openconnect(job, job["users"][0], os.path.dirname(result))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    answer = {"first": None, "ended": None, "second": None}
    try:
        cookie = log_in(user)
        if cookie:
            user.start(cookie)
            answer["first"] = user.outcome(job["patience_s"])
        if cookie and answer["first"]["address"]:
            answer["ended"] = end_session(user, job["after"], job["expiry_s"])
            user.start(cookie)
            answer["second"] = user.outcome(job["patience_s"])
        else:
            answer["first"] = {"name": user.user["name"], "address": "", "words": user.last_words()}
    finally:
        if user.process is not None:
            user.end()
    tell(answer, result)


if __name__ == "__main__":
    main()
