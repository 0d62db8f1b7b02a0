"""Many users of a web proxy at once, each a client of its own; prints what became of them as JSON.

Usage: users.py PROXY_HOST PROXY_PORT URL_PREFIX USERS SECONDS

User k asks for URL_PREFIX + k over one kept-alive connection through the proxy, again and again;
PROXY_HOST "-" asks the server itself. What it must get is its own number, one line a time, so an
answer that belongs to another user is seen. All are connected before the first asks.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlsplit

TIMEOUT_S = 5.0


class User:
    def __init__(self, number):
        self.number = number
        self.own = b"user %d\n" % number
        self.served = self.failed = self.mixed = self.received = 0
        self.reason = ""
        self.times = []


async def answer(reader):
    """Status and body of one response."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(":", 1) for line in lines[1:] if ":" in line)
    body = await reader.readexactly(int(fields.get("content-length", "0")))
    return int(lines[0].split()[1]), body, fields.get("connection", "").strip() == "close"


async def be(user, where, url, start, until):
    target = urlsplit(url)
    name = url if where[2] else target.path
    request = ("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (name, target.netloc)).encode()
    connection = None
    try:
        connection = await asyncio.wait_for(asyncio.open_connection(*where[:2]), TIMEOUT_S)
    except (OSError, asyncio.TimeoutError) as error:
        user.reason = "no connection (%s)" % (error or "time-out")
    await start()
    while time.monotonic() < until():
        begun = time.monotonic()
        try:
            if connection is None:
                connection = await asyncio.wait_for(asyncio.open_connection(*where[:2]), TIMEOUT_S)
            reader, writer = connection
            writer.write(request)
            status, body, closes = await asyncio.wait_for(answer(reader), TIMEOUT_S)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            user.failed += 1
            user.reason = user.reason or "%s" % (error or "no answer in time")
            connection = drop(connection)
            await asyncio.sleep(0.2)
            continue
        if status != 200:
            user.failed += 1
            user.reason = user.reason or "answer %d" % status
            await asyncio.sleep(0.2)
        elif body.replace(user.own, b""):
            user.mixed += 1
        else:
            user.served += 1
            user.received += len(body)
            user.times.append(time.monotonic() - begun)
        if closes:
            connection = drop(connection)
    drop(connection)


def drop(connection):
    if connection is not None:
        connection[1].close()


async def all_of_them(where, prefix, count, seconds):
    users = [User(number) for number in range(count)]
    arrived, gate, end = [0], asyncio.Event(), [0.0]

    async def start():
        arrived[0] += 1
        if arrived[0] == count:
            end[0] = time.monotonic() + seconds
            gate.set()
        await gate.wait()

    await asyncio.gather(
        *(be(user, where, prefix + str(user.number), start, lambda: end[0]) for user in users)
    )
    return users


def main():
    host, port, prefix, count, seconds = sys.argv[1:]
    target = urlsplit(prefix)
    where = (host, int(port), True) if host != "-" else (target.hostname, target.port or 80, False)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    users = loop.run_until_complete(all_of_them(where, prefix, int(count), float(seconds)))
    times = sorted(moment for user in users for moment in user.times)
    unserved = [user for user in users if not user.served]
    answer = {
        "users": len(users),
        "served_users": len(users) - len(unserved),
        "served": sum(user.served for user in users),
        "failed": sum(user.failed for user in users),
        "mixed": sum(user.mixed for user in users),
        "bytes": sum(user.received for user in users),
        "reason": next((user.reason for user in users if user.reason), ""),
        "median_s": times[len(times) // 2] if times else None,
        "p99_s": times[len(times) * 99 // 100] if times else None,
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
