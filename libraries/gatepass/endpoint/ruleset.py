"""The one way to nftables: our own text, with each word from outside of a kind that the text names.

nftables knows no quoting that holds whatever stands in a word, so nothing but addresses, networks,
names and numbers is taken; see `script` for the same of a shell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_address, ip_network
from string import Formatter


class Ruleset(str):
    """Text for ``nft -f`` whose words are of a known kind; see `ruleset`."""

    __slots__ = ()


def ruleset(template: str, **words: object) -> Ruleset:
    """Put words into a text for nftables.

    Args:
        template: our own text, in which ``{name:kind}`` stands for a word of the kind ``address``,
            ``networks`` (one or several of them, or ranges of addresses), ``name`` or ``number``,
            and ``{name}`` for another `Ruleset`, or several.
        words: by name.

    Raises:
        ValueError: a word is not of its kind.
    """
    parts: list[str] = []
    for text, name, kind, _ in Formatter().parse(template):
        parts.append(text)
        if name is not None:
            parts.append(_KINDS[kind or ""](words[name]))
    return Ruleset("".join(parts))


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)


def _part(word: object) -> str:
    several = [word] if isinstance(word, str) or not isinstance(word, Iterable) else list(word)
    if not all(isinstance(each, Ruleset) for each in several):
        raise ValueError(f"no text of nftables: {word!r}")
    return "\n".join(several)


def _address(word: object) -> str:
    if "%" in str(word):  # a scope may be any text
        raise ValueError(f"no address for nftables: {word!r}")
    return str(ip_address(str(word)))


def _networks(word: object) -> str:
    several = [word] if isinstance(word, str) or not isinstance(word, Iterable) else list(word)
    return ", ".join(_network(str(each)) for each in several)


def _network(text: str) -> str:
    first, dash, last = text.partition("-")
    if dash:
        return f"{_address(first)}-{_address(last)}"
    return f"{_address(text.partition('/')[0])}/{ip_network(text).prefixlen}"


def _name(word: object) -> str:
    if not _NAME.fullmatch(str(word)):
        raise ValueError(f"no name for nftables: {word!r}")
    return str(word)


def _number(word: object) -> str:
    return str(int(str(word)))


_KINDS: Mapping[str, Callable[[object], str]] = {
    "": _part,
    "address": _address,
    "networks": _networks,
    "name": _name,
    "number": _number,
}
