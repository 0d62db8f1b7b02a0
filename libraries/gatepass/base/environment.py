"""What a program that is started for a stranger's content finds in its environment.

A browser shows pages of the gateway that is tested, and may have a hole. So it gets what it needs,
by name, and neither the tokens nor the passwords that are in this process' own environment.
"""

from __future__ import annotations

import os

_KEPT = (
    *("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR", "USER", "LOGNAME"),
    *("LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
    *("XDG_RUNTIME_DIR", "XDG_DATA_DIRS", "XDG_DATA_HOME"),
)


def without_secrets() -> dict[str, str]:
    """The variables of this process that hold no secret, as the list above names them."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ}
