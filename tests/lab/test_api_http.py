"""Below the API: requests that are none, that come too slowly, and what their answers give away."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web
from gateway_client import TIMEOUT, TOKEN, GatewayUnderTest

from lab.gateway.rest import server

ADDRESS = "/api/v2/cmdb/firewall/address"
STATUS = "GET /api/v2/monitor/system/status HTTP/1.1\r\nHost: x\r\n"
BEARER = f"Authorization: Bearer {TOKEN}\r\n"
POST = f"POST {ADDRESS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{BEARER}"


def told(api: GatewayUnderTest, request: str) -> tuple[int, str]:
    """Status and all of the answer to what is sent as it stands, until the connection ends."""
    context = ssl.create_default_context(cafile=str(api.folder / "tls" / "ca.pem"))
    with (
        socket.create_connection(("127.0.0.1", api.port), TIMEOUT) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(request.encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return int(answer.split()[1]), answer.decode()


@pytest.mark.parametrize(
    "request_text",
    [
        STATUS + f"Authorization: Bearer {TOKEN}\nX: y\r\n\r\n",
        f"GET / HTTP/1.1\nHost: x\nAuthorization: Bearer {TOKEN}\n\n",
        f"GET / HTTP/1.1\r\n{BEARER}\r\n",
        f"GET /{TOKEN} /x HTTP/1.1\r\n\r\n",
        f"{TOKEN}\r\n\r\n",
        STATUS + f"{TOKEN * 600}\r\n\r\n",
        f"GET /api/v2/?access_token={TOKEN * 600} HTTP/1.1\r\nHost: x\r\n\r\n",
        POST + f"Transfer-Encoding: chunked\r\n\r\n{TOKEN}\r\n",
        POST + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
def test_what_is_no_request_is_answered_with_nothing_of_it(
    api: GatewayUnderTest, request_text: str
) -> None:
    status, answer = told(api, request_text)
    assert status == 400
    assert "could not understand" in answer
    assert TOKEN not in answer
    assert "aiohttp" not in answer and "Python" not in answer
    assert TOKEN not in (api.folder / "gateway.log").read_text()


def test_a_body_that_is_not_what_it_says(api: GatewayUnderTest) -> None:
    status, answer = told(api, POST + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
    assert status == 424
    assert "not what the header says" in answer
    assert "Traceback" not in (api.folder / "gateway.log").read_text()


def test_a_body_may_wait_until_it_is_asked_for(api: GatewayUnderTest) -> None:
    body = '{"name": "asked-for"}'
    head = f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    status, answer = told(api, POST + head + body)
    assert status == 100
    assert "\r\n\r\nHTTP/1.1 200 OK\r\n" in answer
    api.delete("cmdb/firewall/address/asked-for")


@pytest.mark.parametrize("name", ["a%0Ab", "a%0D%0Ab", "%00", "a%2Fb"])
def test_any_name_in_a_path_is_asked_who_calls(api: GatewayUnderTest, name: str) -> None:
    path = f"{api.url}{ADDRESS}/{name}"
    with api.new_session(None) as nobody:
        assert nobody.get(path, timeout=TIMEOUT).status_code == 401
    answer = api.session.get(path, timeout=TIMEOUT)
    assert (answer.status_code, answer.json()["error"]) == (404, -3)
    log = (api.folder / "gateway.log").read_text()
    assert f"GET {ADDRESS}/{name} 404" in log


@contextlib.asynccontextmanager
async def serving(handler: Callable[[web.BaseRequest], Awaitable[web.Response]]):
    """A server on the loopback; gives a function that connects to it."""
    one = server.Server(handler)
    listening = await asyncio.get_running_loop().create_server(one, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    opened: list[asyncio.StreamWriter] = []

    async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        opened.append(writer)
        return reader, writer

    try:
        async with asyncio.timeout(TIMEOUT):
            yield connect
    finally:
        for writer in opened:
            writer.close()
        listening.close()
        await one.shutdown(1)


async def _length(request: web.BaseRequest) -> web.Response:
    return web.Response(text=str(len(await server.body_of(request))))


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """What still comes until the other side ends the connection."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("begun", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_who_does_not_finish_a_head_loses_the_connection(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.05)

    async def run() -> None:
        async with serving(_length) as connect:
            fresh, used = await connect(), await connect()
            used[1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await used[0].readuntil(b"\r\n\r\n0")
            for _, writer in (fresh, used):
                writer.write(begun)
            assert await _rest(fresh[0]) == b""
            if begun:
                assert await _rest(used[0]) == b""
            else:  # between two requests nothing is waited for
                used[1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                await used[0].readuntil(b"\r\n\r\n0")

    asyncio.run(run())


def test_who_does_not_finish_a_body_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(server, "LEFT_OVER_SECONDS", 0.05)

    async def run() -> None:
        async with serving(_told) as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nslow")
            assert (await _rest(reader)).startswith(b"HTTP/1.1 408 ")

    asyncio.run(run())


async def _told(request: web.BaseRequest) -> web.Response:
    try:
        return await _length(request)
    except server.CmdbError as error:
        return server.response(server.Answer(error.http_status, error.message.encode()))
