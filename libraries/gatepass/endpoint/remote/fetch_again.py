"""Asks for one file again and again by curl, and prints each try as a line of JSON.

Usage: fetch_again.py PAUSE_S PLACE STOP WORD...

WORD... are curl and its own, by which it writes what arrives to the file PLACE. Between two tries
there is a pause; none is begun any more once the file STOP is there. A line holds when the try
began and when it ended, in seconds since the epoch, curl's exit code, and the SHA-256 of what
arrived.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time


def once(place, words):
    with contextlib.suppress(FileNotFoundError):
        os.remove(place)
    began = time.time()
    with open(os.devnull, "w") as nowhere:
        code = subprocess.call(words, stdout=nowhere, stderr=nowhere)
    ended, content = time.time(), b""
    with contextlib.suppress(FileNotFoundError), open(place, "rb") as stream:
        content = stream.read()
    return [round(began, 3), round(ended, 3), code, hashlib.sha256(content).hexdigest()]


def main():
    pause, place, stop = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    while not os.path.exists(stop):
        print(json.dumps(once(place, sys.argv[4:])), flush=True)
        time.sleep(pause)


main()
