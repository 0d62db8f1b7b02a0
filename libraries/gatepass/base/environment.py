"""What is heeded of this process' environment, and what programs that it starts find in theirs.

Tokens and passwords lie in this process' own environment. A browser shows pages of the gateway that
is tested, and may have a hole; a program that signs or prints has no need of them either.
"""

from __future__ import annotations

import os

HOMES = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
"""Where a program keeps what is its user's."""
_KEPT = (
    *("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "TERM"),
    *("LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_DIRS", "XDG_DATA_HOME"),
    *("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", *HOMES),
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


def without_secrets(*more: str) -> dict[str, str]:
    """The variables of this process that hold no secret, as the list above names them.

    Args:
        more: names of others that the program needs.
    """
    return {name: os.environ[name] for name in (*_KEPT, *more) if name in os.environ}
