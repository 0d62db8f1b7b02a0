"""Does in small what a run will do on this host; prints what failed, and why, as JSON.

Usage: self_test.py FILE DIGEST TEST...

FILE holds the run's scripts as JSON, text by name. It has to be there as it was written, by its
SHA-256 DIGEST, and is removed. Each script has to compile, and what it imports has to be there. A
TEST is one of `TESTS`, each a function that says what it does and that leaves nothing behind.

It keeps to what Pythons know that are too old for the scripts, so that it can tell of them.
"""

import ast
import contextlib
import fcntl
import hashlib
import importlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
EVERY_PROTOCOL = 0x0003
LONGEST_WORDS = 200


class Failed(Exception):
    pass


def words_of(done):
    """The first line of what a program said, or how it ended."""
    said = (done.stderr + done.stdout).decode("utf-8", "replace").strip().splitlines()
    return said[0] if said else "exit code %d" % done.returncode


def call(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def packets():
    """Sockets for packets made by hand, and for all that arrives."""
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL)).close()
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW).close()


def addresses():
    """A change by netlink that changes nothing: a neighbour is removed that there is not."""
    done = call("ip", "neigh", "del", "192.0.2.1", "dev", "lo")
    if b"not permitted" in done.stderr:
        raise Failed(words_of(done))


def tun():
    """A TUN interface that goes with its file, and its reverse path filter (ip-sysctl)."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    try:
        asked = struct.pack("16sH22x", b"gptest%d", IFF_TUN | IFF_NO_PI)
        name = fcntl.ioctl(device, TUNSETIFF, asked)[:16].rstrip(b"\0").decode()
        with open("/proc/sys/net/ipv4/conf/%s/rp_filter" % name, "w") as file:
            file.write("2\n")
    finally:
        os.close(device)


def nft():
    """Rules that the kernel checks and does not take."""
    done = call("nft", "--check", "add table inet gatepass_test")
    if done.returncode:
        raise Failed(words_of(done))


def ip():
    """What `ip` prints for programs; older ones know JSON for some of their answers alone."""
    for words in (("address", "show", "dev", "lo"), ("route", "show", "default")):
        done = call("ip", "-j", *words)
        try:
            json.loads(done.stdout.decode())
        except ValueError:
            raise Failed(words_of(done)) from None


def tools():
    """Programs with the options that a run gives them, which BusyBox has in part."""
    for words in (
        ("timeout", "--foreground", "-k", "5", "5", "true"),
        ("setsid", "sh", "-c", "true"),
        ("ps", "-ww", "-o", "args=", "-p", str(os.getpid())),
        ("ss", "-Hltn", "sport = :1"),
    ):
        if shutil.which(words[0]):  # what is missing is told by others
            done = call(*words)
            if done.returncode:
                raise Failed(words_of(done))


TESTS = {
    "tools": tools,
    "ip": ip,
    "packets": packets,
    "addresses": addresses,
    "tun": tun,
    "nft": nft,
}


def read_back(path, digest):
    """The run's scripts, from the file."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    finally:
        with contextlib.suppress(OSError):
            os.remove(path)
    if hashlib.sha256(content).hexdigest() != digest:
        raise Failed("%d B" % len(content))
    return json.loads(content.decode())


def imported(tree):
    """The modules that a script imports, its own package's left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def compiled(scripts):
    own, wanted = {name.partition("/")[0].partition(".")[0] for name in scripts}, set()
    for name, text in sorted(scripts.items()):
        try:
            tree = compile(text, name, "exec", ast.PyCF_ONLY_AST, True)
            compile(tree, name, "exec", 0, True)
        except SyntaxError as error:
            raise Failed("%s, line %s: %s" % (name, error.lineno, error.msg)) from None
        wanted.update(one for one in imported(tree) if one.partition(".")[0] not in own)
    for one in sorted(wanted):
        try:
            importlib.import_module(one)
        except Exception as error:
            raise Failed("import %s: %s" % (one, error)) from None


def main():
    path, digest, *names = sys.argv[1:]
    failed = {}

    def tried(name, work, *arguments):
        try:
            return work(*arguments)
        except OSError as error:
            failed[name] = (error.strerror or str(error))[:LONGEST_WORDS]
        except Failed as error:
            failed[name] = str(error)[:LONGEST_WORDS]

    scripts = tried("file", read_back, path, digest) or {}
    tried("scripts", compiled, scripts)
    for name in names:
        tried(name, TESTS[name])
    json.dump(failed, sys.stdout)


main()
