"""What is heeded of this process' environment, and what programs that it starts find in theirs.

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

_FOREIGN = ("ROBOT_", "REBOT_")
"""How the names of what Robot reads begin: options beside those of a call, where to write a log of
its own, whose server drives a browser."""


def forget_foreign() -> None:
    """Drop the variables by which a call would do something else than it says.

    To be called before Robot is imported, which reads some of them then.
    """
    for name in [one for one in os.environ if one.startswith(_FOREIGN)]:
        del os.environ[name]


def without_secrets() -> dict[str, str]:
    """The variables of this process that hold no secret, as the list above names them."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ}
