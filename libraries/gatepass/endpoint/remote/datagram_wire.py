"""How numbered datagrams look, and how many of them go to the kernel and come from it at a time.

A datagram begins with 16 bytes, so that the smallest Ethernet frame (64 bytes, RFC 2544) holds it
over IPv4: its number, with the run's own number above the lowest 40 bits, and when it was sent, in
ns since the epoch, both little-endian. What comes with another run's number is somebody else's.
"""

import ctypes
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from array import array

HEAD = struct.Struct("<QQ")
NUMBER_BITS = 40
AT_ONCE = 1024
SO_TIMESTAMPNS, UDP_SEGMENT, SO_RCVBUFFORCE, SO_SNDBUFFORCE = 35, 103, 33, 32
BUFFER = 16 << 20
MSG_TRUNC, MSG_DONTWAIT = 0x20, 0x40
IP_RECVTOS = 13
IP_MTU_DISCOVER, IP_MTU, IPV6_MTU_DISCOVER, IPV6_MTU = 10, 14, 23, 24
PMTUDISC_PROBE, SIOCGIFMTU = 3, 0x8921
SOCKADDR = 28


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Header(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p), ("name_length", ctypes.c_uint32),
        ("vectors", ctypes.c_void_p), ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p), ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int), ("padding", ctypes.c_int), ("received", ctypes.c_uint),
    ]


SIZE, RECEIVED = ctypes.sizeof(Header), Header.received.offset


class Receiving:
    """Takes datagrams from sockets, many by each call of the kernel (recvmmsg).

    Of the last lot that it took, sequences of one length:
        sizes: payloads, bytes.
        marks: bytes of tos (IPv4), or traffic class (IPv6).
    """

    CONTROL = 56  # a header of 16 bytes and a timespec, and another with the byte of tos
    TOS = 48

    def __init__(self):
        if struct.calcsize("l") != 8:
            sys.exit("the receiver of datagrams needs a 64-bit system")
        self.call = ctypes.CDLL(None, use_errno=True).recvmmsg
        self.data = ctypes.create_string_buffer(AT_ONCE * HEAD.size)
        self.control = ctypes.create_string_buffer(AT_ONCE * self.CONTROL)
        self.vectors, self.headers = (Vector * AT_ONCE)(), (Header * AT_ONCE)()
        data, control = ctypes.addressof(self.data), ctypes.addressof(self.control)
        for place in range(AT_ONCE):
            self.vectors[place] = Vector(data + place * HEAD.size, HEAD.size)
            vector = ctypes.addressof(self.vectors) + place * ctypes.sizeof(Vector)
            there = control + place * self.CONTROL
            self.headers[place] = Header(None, 0, vector, 1, there, self.CONTROL, 0, 0, 0)
        # of each lot only the first tells where it came from
        self.source = ctypes.create_string_buffer(SOCKADDR)
        self.headers[0].name = ctypes.addressof(self.source)
        self.headers[0].name_length = SOCKADDR
        self.fresh = bytes(self.headers)
        self.used = 0
        self.sizes, self.marks = (), b""

    def take(self, sock):
        """Numbers with the run's above them, when they were sent, when they came; three sequences.

        The times are in ns since the epoch. What is too short to have a number has number 0 of no
        run: its place still holds the end of an earlier datagram.
        """
        # the kernel writes into the headers how long it made what they point to
        ctypes.memmove(self.headers, self.fresh, self.used * SIZE)
        count = self.call(sock.fileno(), self.headers, AT_ONCE, MSG_DONTWAIT | MSG_TRUNC, None)
        self.used = max(0, count)
        if count <= 0:
            error = ctypes.get_errno() if count else 0
            if error and error not in (11, 111):  # nothing there; refused, of what was sent
                raise OSError(error, os.strerror(error))
            return array("Q"), (), ()
        words = array("Q", ctypes.string_at(self.data, count * HEAD.size))
        if sys.byteorder == "big":
            words.byteswap()
        control = ctypes.string_at(self.control, count * self.CONTROL)
        stamps, words_each = array("q", control), self.CONTROL // 8
        self.marks = control[self.TOS::self.CONTROL]
        came = [
            second * 10 ** 9 + ns
            for second, ns in zip(stamps[2::words_each], stamps[3::words_each])
        ]
        numbers, sent = words[0::2], words[1::2]
        told = array("I", ctypes.string_at(self.headers, count * SIZE))
        self.sizes = told[RECEIVED // 4::SIZE // 4]
        if min(self.sizes) < HEAD.size:
            whole = [size >= HEAD.size for size in self.sizes]
            numbers = array("Q", [number if good else 0 for number, good in zip(numbers, whole)])
        return numbers, sent, came

    def came_from(self):
        """The address and port that the first of the last lot came from."""
        data = self.source.raw
        port = int.from_bytes(data[2:4], "big")
        if struct.unpack_from("=H", data)[0] == socket.AF_INET:
            return socket.inet_ntop(socket.AF_INET, data[4:8]), port
        return socket.inet_ntop(socket.AF_INET6, data[8:24]), port


def receiver(address, port):
    """A socket that gives datagrams with the time when the kernel got them."""
    sock = udp(address)
    listen(sock)
    sock.bind((address, port))
    return sock


def listen(sock):
    """Have a socket give datagrams with the time when the kernel got them, and their marks."""
    enlarge(sock, SO_RCVBUFFORCE, socket.SO_RCVBUF)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS) if sixth(sock)
                      else (socket.IPPROTO_IP, IP_RECVTOS)), 1)


def sixth(sock):
    """Whether it is one of IPv6."""
    return sock.family == socket.AF_INET6


def mark(sock, tos):
    """Have what it sends bear this byte of tos, or traffic class."""
    sock.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_TCLASS) if sixth(sock)
                      else (socket.IPPROTO_IP, socket.IP_TOS)), tos)


def whole(sock, payload):
    """Have what a connected socket sends leave as it is, whatever the path is told to carry.

    Nobody cuts it up, and what is too large gets lost on the way. What its own interface cannot
    carry is cut up here, as ever.

    payload: of the largest datagram, bytes.
    """
    if payload + (48 if sixth(sock) else 28) > device_mtu(sock):
        return
    sock.setsockopt(*((socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER) if sixth(sock)
                      else (socket.IPPROTO_IP, IP_MTU_DISCOVER)), PMTUDISC_PROBE)


def device_mtu(sock):
    """Of the interface by which a connected socket sends, bytes; 0 where it is not known."""
    words = ["ip", "-j", "route", "get", sock.getpeername()[0], "from", sock.getsockname()[0]]
    try:
        told = json.loads(subprocess.run(words, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL).stdout or b"[]")
        asked = struct.pack("16s16x", told[0]["dev"].encode())
        return struct.unpack("16xi12x", fcntl.ioctl(sock, SIOCGIFMTU, asked))[0]
    except (OSError, ValueError, LookupError, struct.error):
        return 0


def path_mtu(sock):
    """What somebody on the way of a connected socket has told to be the largest packet, bytes; what
    its own interface carries where nobody has, and 0 where there is no way."""
    try:
        return sock.getsockopt(*((socket.IPPROTO_IPV6, IPV6_MTU) if sixth(sock)
                                 else (socket.IPPROTO_IP, IP_MTU)))
    except OSError:
        return 0


def udp(address):
    """A datagram socket of an address's family."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.socket(family, socket.SOCK_DGRAM)


def enlarge(sock, force, plain):
    """As much room for waiting datagrams as this user may have."""
    for option in (force, plain):
        try:
            sock.setsockopt(socket.SOL_SOCKET, option, BUFFER)
            return
        except OSError:  # not root, or in a container
            continue


def dropped(port):
    """Datagrams that came to this port and found no room in its socket."""
    found = 0
    for path in ("/proc/net/udp", "/proc/net/udp6"):
        try:
            with open(path) as lines:
                next(lines)
                for line in lines:
                    cells = line.split()
                    if int(cells[1].rpartition(":")[2], 16) == port:
                        found += int(cells[-1])
        except OSError:  # no IPv6 here
            continue
    return found
