"""The server behind the pages: on the loopback alone, for reading alone, of the results alone.

Other users of the machine reach the loopback as well, so who asks has to know a secret (`secret`).
A page of another site cannot read from it by having its own name lead to the loopback (DNS
rebinding): who asks for another host than the loopback is refused. What a run has left is served
without a right to run beside these pages (Content Security Policy, `sandbox`).
"""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from gatepass.serve import pages, tables
from gatepass.serve.comparison import compare
from gatepass.serve.folder import Asked, Run, changes, run_called, runs
from gatepass.serve.secret import QUESTION, Secret

HOST = "127.0.0.1"
_OWN_SITE = ("same-origin", "none")
"""From where a browser may be sent here (W3C Fetch Metadata): from these pages, and by a person."""
_ASK_IN_PERSON = (
    "Copy the address that ./run.sh serve has printed into the address bar of your browser: it "
    "holds the secret that opens these pages.\n"
)
_OWN_NAMES = (HOST, "localhost")
_RESULTS = web.AppKey("results", Path)
_SECRET = web.AppKey("secret", Secret)
_OVER = web.AppKey("over", asyncio.Event)
_LOOK_S = 0.5
_ALIVE_S = 15
_SCRIPT = Path(__file__).with_name("live.js")
_SERVED = {
    *(".html", ".pdf", ".png", ".svg", ".js", ".css"),
    *(".json", ".csv", ".xml", ".txt", ".log", ".yaml", ""),
}
"""Kinds of files that people read; no configuration, no journal, no record."""
_SHOWN_AS_TEXT = {".csv", ".log", ".txt", ".yaml", ""}
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_OF_FILES = "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def application(results: Path, secret: Secret) -> web.Application:
    """The pages over a results folder.

    Args:
        results: the folder; exists.
        secret: that who asks has to know.
    """
    made = web.Application(middlewares=[_guarded])
    made[_RESULTS] = results.resolve()
    made[_SECRET] = secret
    made.on_startup.append(_begin)
    made.on_shutdown.append(_end)
    made.add_routes(
        [
            web.get("/", _listing),
            web.get("/runs.csv", _listing_as_csv),
            web.get("/compare", _compared),
            web.get("/compare.csv", _compared),
            web.get("/live.js", _script),
            web.get("/events", _events_of_all),
            web.get("/events/{name:.+}", _events_of_one),
            web.get("/runs/{name:.+}", _run),
            web.get("/files/{path:.+}", _file),
            web.get("/left/{key}/{path:.+}", _file),
        ]
    )
    return made


@web.middleware
async def _guarded(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Refuse who asks for another host, and say to the browser what a page may do."""
    if request.url.host not in _OWN_NAMES:
        port = request.transport.get_extra_info("sockname")[1] if request.transport else ""
        raise web.HTTPForbidden(text=f"Open http://{HOST}:{port}/ instead.\n")
    try:
        answer = await _to_who_may_read(request, handler)
    except web.HTTPException as refused:
        _secure(refused)
        raise
    if not answer.prepared:
        _secure(answer)
    return answer


async def _to_who_may_read(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """The answer, to who knows the secret and was not sent by another site.

    Raises:
        web.HTTPForbidden: to anybody else; it tells not even what there is.
    """
    secret = request.app[_SECRET]
    if _bears_key(request, secret):
        return await handler(request)
    if request.headers.get("Sec-Fetch-Site", "none") not in _OWN_SITE:
        raise web.HTTPForbidden(text=_ASK_IN_PERSON)
    if secret.is_asked_with(request):  # so that it stays in no history and in no address bar
        left = {name: value for name, value in request.query.items() if name != QUESTION}
        answer = web.HTTPSeeOther(request.url.with_query(left).relative())
        secret.give_to(answer)
        raise answer
    if not secret.is_kept_by(request):
        raise web.HTTPForbidden(text=_ASK_IN_PERSON)
    return await handler(request)


def _bears_key(request: web.Request, secret: Secret) -> bool:
    """Whether a page of a run asks for another file of it."""
    key, path = (request.match_info.get(name, "") for name in ("key", "path"))
    return bool(key) and secret.is_key_of(_run_of(path), key)


def _run_of(path: str) -> str:
    return path.partition("/")[0]


def _secure(answer: web.StreamResponse) -> None:
    answer.headers.setdefault("Content-Security-Policy", _POLICY)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "same-origin"
    answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    answer.headers["Cache-Control"] = "no-store"


async def _begin(application: web.Application) -> None:
    application[_OVER] = asyncio.Event()


async def _end(application: web.Application) -> None:
    application[_OVER].set()


async def _listing(request: web.Request) -> web.Response:
    found, results = await _all(request), request.app[_RESULTS]
    return _html(pages.listing(results, found, _asked(request)))


async def _listing_as_csv(request: web.Request) -> web.Response:
    asked = _asked(request)
    return _csv(tables.runs(run for run in await _all(request) if asked.fits(run)), "runs.csv")


async def _compared(request: web.Request) -> web.Response:
    results = request.app[_RESULTS]
    names = request.query.getall("run", [])
    found = await _all(request)
    there = {run.name: run for run in found if run.far is None}
    if len(names) != 2 or not there.keys() >= set(names):
        note = "Choose two runs that have ended, and compare them."
        return _html(pages.listing(results, found, Asked(), note), status=400)
    one, other = sorted((there[name] for name in names), key=lambda run: (run.started, run.name))
    try:
        compared = await asyncio.to_thread(compare, one, other)
    except (OSError, ValueError, KeyError, TypeError):
        note = "What one of them has left cannot be read: ./run.sh results makes it again."
        return _html(pages.listing(results, found, Asked(), note), status=400)
    if request.path.endswith(".csv"):
        return _csv(tables.comparison(compared), "comparison.csv")
    return _html(pages.comparison_page(one, other, compared, results))


async def _run(request: web.Request) -> web.Response:
    run, found = await _one(request), await _all(request)
    return _html(pages.run_page(run, request.app[_RESULTS], found))


async def _script(request: web.Request) -> web.FileResponse:
    return web.FileResponse(_SCRIPT)


async def _events_of_all(request: web.Request) -> web.StreamResponse:
    results = request.app[_RESULTS]
    return await _told(request, lambda: [changes(run) for run in runs(results)])


async def _events_of_one(request: web.Request) -> web.StreamResponse:
    results, name = request.app[_RESULTS], (await _one(request)).name

    def now() -> object:
        run = run_called(results, name)
        return run and changes(run)

    return await _told(request, now)


async def _told(request: web.Request, now: Callable[[], object]) -> web.StreamResponse:
    """Server-sent events (WHATWG HTML, 9.2): one whenever something changed, until nobody listens.

    The first one comes at once: the page may be older than this connection.

    Args:
        request: of who listens.
        now: tells the state that may change.
    """
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    _secure(answer)
    await answer.prepare(request)
    over = request.app[_OVER]
    seen: list[object] = []
    silent_s = 0.0
    try:
        while not over.is_set():
            state = [await asyncio.to_thread(now)]
            if state != seen:
                seen, silent_s = state, 0.0
                await answer.write(b"data: changed\n\n")
            elif silent_s >= _ALIVE_S:
                silent_s = 0.0
                await answer.write(b": nothing new\n\n")
            await asyncio.sleep(_LOOK_S)
            silent_s += _LOOK_S
    except ConnectionResetError:
        pass  # the reader has gone
    return answer


async def _file(request: web.Request) -> web.StreamResponse:
    """A file that a run has left; none that is hidden or leads out of the results."""
    results, asked = request.app[_RESULTS], request.match_info["path"]
    path = results / asked
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise web.HTTPNotFound from None
    # a key is of one run: no way leads out of that either
    within = results / _run_of(asked) if "key" in request.match_info else results
    inside = real.is_relative_to(within)
    if not inside or not real.is_file() or not _readable(real.relative_to(results)):
        raise web.HTTPNotFound
    if request.headers.get("Sec-Fetch-Dest") == "document" and "key" not in request.match_info:
        key = request.app[_SECRET].key_of(_run_of(asked))
        raise web.HTTPSeeOther(f"/left/{key}/{quote(asked)}")
    answer = web.FileResponse(real)
    if real.suffix in _SHOWN_AS_TEXT:
        answer.content_type, answer.charset = "text/plain", "utf-8"
    else:
        answer.content_type = mimetypes.guess_type(real.name)[0] or "application/octet-stream"
    if real.suffix != ".pdf":  # which a browser shows by a program of its own
        answer.headers["Content-Security-Policy"] = _OF_FILES
    return answer


def _readable(path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.parts)
    return len(path.parts) > 1 and not hidden and path.suffix in _SERVED


async def _all(request: web.Request) -> list[Run]:
    return await asyncio.to_thread(runs, request.app[_RESULTS])


async def _one(request: web.Request) -> Run:
    found = await asyncio.to_thread(run_called, request.app[_RESULTS], request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound(text="There is no such run.\n")
    return found


def _asked(request: web.Request) -> Asked:
    return Asked(**{name: request.query.get(name, "") for name in pages.CHOICES})


def _csv(text: str, name: str) -> web.Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(text=text, content_type="text/csv", charset="utf-8", headers=headers)


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html")
