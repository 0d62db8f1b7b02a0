"""Logs a user in to an SSL VPN portal without a VPN program, and out again; tells how far it came.

Usage: portal.py JOB   JOB is removed at once, as it holds the password. Its keys: host, port,
fingerprint (SHA-256 of the certificate that alone is trusted), name, password, patience_s.

Prints JSON: whether the portal was "reached", with the "same" certificate, whether the user was
"let_in", the "address" that the configuration gives the user, and the "words" of what went wrong.
"""

import contextlib
import hashlib
import http.client
import json
import os
import re
import ssl
import sys
from urllib.parse import urlencode

COOKIE = re.compile(r"SVPNCOOKIE=([^;\s]+)")
ADDRESS = re.compile(r"<assigned-addr\s[^>]*ipv4=['\"]([0-9.]+)['\"]")


class OtherCertificate(Exception):
    """Somebody else answers, who gets no password."""


def ask(job, method, path, form=None, cookie=""):
    """One request on a connection of its own; status, headers and text of the answer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection(
        job["host"], job["port"], timeout=job["patience_s"], context=context
    )
    with contextlib.closing(connection):
        connection.connect()
        shown = hashlib.sha256(connection.sock.getpeercert(True)).hexdigest()
        if shown != job["fingerprint"]:
            raise OtherCertificate
        headers = {"User-Agent": "Mozilla/5.0 SV1", "Connection": "close"}
        if cookie:
            headers["Cookie"] = "SVPNCOOKIE=" + cookie
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urlencode(form) if form is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read(65536).decode(errors="replace")


def log_in(job, answer):
    """As a VPN program does, up to where it would open its tunnel."""
    ask(job, "GET", "/remote/login")
    answer["reached"] = answer["same"] = True
    form = {"username": job["name"], "credential": job["password"], "realm": "", "ajax": "1"}
    status, headers, text = ask(job, "POST", "/remote/logincheck", form)
    found = COOKIE.search(" ".join(headers.get_all("Set-Cookie", [])))
    if not found:
        answer["words"] = "status %d, %s" % (status, re.sub(r"\s+", " ", text)[:120])
        return
    answer["let_in"] = True
    try:
        status, _, text = ask(job, "GET", "/remote/fortisslvpn_xml", cookie=found.group(1))
        given = ADDRESS.search(text)
        answer["address"] = given.group(1) if given else ""
        answer["words"] = "" if given else "status %d instead of a configuration" % status
    finally:
        ask(job, "GET", "/remote/logout", cookie=found.group(1))


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    os.remove(sys.argv[1])
    answer = {"reached": False, "same": False, "let_in": False, "address": "", "words": ""}
    try:
        log_in(job, answer)
    except OtherCertificate:
        answer["reached"] = True
    except (OSError, http.client.HTTPException) as error:
        answer["words"] = answer["words"] or str(error) or type(error).__name__
    json.dump(answer, sys.stdout)


main()
