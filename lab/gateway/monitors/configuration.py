"""monitor/system/config, config-script and config-revision: the configuration as files."""

from __future__ import annotations

import base64
import binascii
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lab.gateway.access import READ, Caller
from lab.gateway.call import Call
from lab.gateway.cli.script import Failure, Script
from lab.gateway.cli.show import MARK, backup
from lab.gateway.errors import BAD_VALUE, CmdbError, malformed, not_found
from lab.gateway.monitors.model import Failed, File, Monitor, needed, whole
from lab.gateway.schema.model import Table

if TYPE_CHECKING:
    from lab.gateway.device import Device

log = logging.getLogger(__name__)

_SHOWN_FAILURES = 100
_ACCOUNTS, _SUPER = ("system/admin", "system/api-user"), "super_admin"


def _decoded(body: Mapping[str, Any]) -> str:
    content = needed(body.get("file_content"), "file_content")
    try:
        return base64.b64decode(content, validate=True).decode()
    except (binascii.Error, ValueError):
        raise malformed("file_content is not base64 of UTF-8 text.") from None


def _running(device: Device, user: str) -> str:
    device.updates.fetch()
    database = device.database
    return backup(database.state, database.builder, device.identity.version, user)


def _as_shown_to(device: Device, caller: Caller) -> str:
    """The configuration as who asks may read it; accounts of super_admin see one another alone."""
    device.updates.fetch()
    state = device.database.state
    found = (state.find(path, caller.name) for path in _ACCOUNTS)
    is_super = any(row and row["accprofile"] == _SUPER for row in found) or not caller.name

    def shown(table: Table, row: Mapping[str, Any]) -> bool:
        hidden = table.path in _ACCOUNTS and row["accprofile"] == _SUPER
        return is_super or (caller.may(table.access, READ) and not hidden)

    database = device.database
    return backup(state, database.builder, device.identity.version, caller.name, shown)


async def _backup(device: Device, call: Call) -> File:
    body = call.body()
    destination = call.argument("destination", body)
    if destination not in (None, "file"):
        raise malformed("The destination must be 'file'.")
    if call.argument("scope", body) not in ("global", "vdom"):
        raise malformed("The scope must be 'global' or 'vdom'.")
    return File(_as_shown_to(device, call.caller))


async def _restore(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    source = needed(body.get("source"), "source")
    if body.get("scope") not in ("global", "vdom"):
        raise malformed("The scope must be 'global' or 'vdom'.")
    if source == "upload":
        text = _decoded(body)
    elif source == "revision":
        text = _saved_text(device, body.get("config_id"))
    else:
        raise malformed("The source must be 'upload' or 'revision'.")
    _put_back(device, text)
    return {"config_restored": True}


def _put_back(device: Device, text: str) -> None:
    """Make a configuration the running one.

    Like a device at its start, it reads as much as it understands; what it does not goes to the
    log of configuration errors.
    """
    if not text.startswith(MARK):
        raise CmdbError(BAD_VALUE, f"The file is no configuration: it does not begin with {MARK}")
    database = device.database
    state = database.blank(with_factory=False)
    state.accepts_dangling = True
    failures = Script(database.editor(state)).run(text)
    dropped = state.settle()
    device.config_errors = [
        *map(str, failures),
        *(f"{path} {key} names an object that is not there; left out" for path, key in dropped),
    ]
    for error in device.config_errors:
        log.warning("restore: %s", error)
    database.replace(state)


async def _upload_script(device: Device, call: Call) -> Any:
    body = call.body()
    name = needed(body.get("filename"), "filename")
    text = _decoded(body)
    with device.database.change() as editor:
        failures = Script(editor).run(text)
    result = "; ".join(map(str, failures[:_SHOWN_FAILURES])) or "success"
    device.store.add_script(int(time.time()), call.caller.name, name, result)
    if not failures:
        return {}
    first = failures[0]
    text = "\n".join(str(failure) for failure in failures[:_SHOWN_FAILURES])
    return Failed({"errors": [_shown(failure) for failure in failures[:_SHOWN_FAILURES]],
                   "error_count": len(failures)}, CmdbError(first.code, text))


def _shown(failure: Failure) -> dict[str, Any]:
    return {"line": failure.line, "command": failure.command, "error": failure.code,
            "message": failure.message}


async def _scripts(device: Device, call: Call) -> dict[str, Any]:
    return {"conf_scripts": {"history": device.store.scripts()}}


async def _delete_scripts(device: Device, call: Call) -> dict[str, Any]:
    ids = call.body().get("id_list")
    if not isinstance(ids, list):
        raise malformed("The parameter 'id_list' is missing.")
    device.store.delete_scripts([whole(number, "id_list", 0, 2**31) for number in ids])
    return {}


async def _save_revision(device: Device, call: Call) -> dict[str, Any]:
    comments = call.body().get("comments", "")
    if not isinstance(comments, str):
        raise malformed("The parameter 'comments' must be text.")
    user = call.caller.name
    number = device.store.add_saved(int(time.time()), user, comments, _running(device, user))
    return {"config_id": number}


async def _revisions(device: Device, call: Call) -> dict[str, Any]:
    version = str(device.identity.version)
    return {"revisions": [{**saved, "version": version, "build": device.identity.version.build}
                          for saved in device.store.saved()]}


def _saved_text(device: Device, number: Any) -> str:
    wanted = whole(number, "config_id", 1, 2**31)
    text = device.store.saved_text(wanted)
    if text is None:
        raise not_found(f"configuration revision {wanted}")
    return text


async def _revision_file(device: Device, call: Call) -> File:
    return File(_saved_text(device, call.parameter("config_id")))


async def _delete_revision(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    number = whole(call.argument("config_id", body), "config_id", 1, 2**31)
    if not device.store.delete_saved(number):
        raise not_found(f"configuration revision {number}")
    return {}


MONITORS = {
    "system/config/backup": Monitor("sysgrp.admin sysgrp.mnt", post=_backup),
    "system/config/restore": Monitor("sysgrp.mnt", post=_restore),
    "system/config-script": Monitor("sysgrp.cfg", get=_scripts),
    "system/config-script/upload": Monitor("sysgrp.cfg", post=_upload_script),
    "system/config-script/delete": Monitor("sysgrp.cfg", post=_delete_scripts),
    "system/config-revision": Monitor("sysgrp.cfg", get=_revisions),
    "system/config-revision/save": Monitor("sysgrp.cfg", post=_save_revision),
    "system/config-revision/file": Monitor("sysgrp.cfg", get=_revision_file),
    "system/config-revision/delete": Monitor("sysgrp.cfg", post=_delete_revision),
}
