"""The errors that the gateway reports to its clients."""

from __future__ import annotations


class CmdbError(Exception):
    """A change or a question that the configuration database refuses.

    Args:
        code: FortiOS' error number, e.g. -5 (duplicate) or -651 (bad value or reference).
        message: what FortiOS would print on its command line, one sentence.
        http_status: status of the REST answer; FortiOS uses 500 for most CLI errors.
    """

    def __init__(self, code: int, message: str, http_status: int = 500) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.http_status = http_status

    @property
    def cli_error(self) -> str:
        """The text of `cli_error`, ending as the command line ends a failed command."""
        return f"{self.message}\nCommand fail. Return code {self.code}\n"


DUPLICATE = -5
NOT_FOUND = -3
TABLE_FULL = -4
IN_USE = -23
PERMISSION_DENIED = -37
EMPTY_VALUE = -56
PARSE_ERROR = -61
INTERNAL = -100
BAD_VALUE = -651


def duplicate(key: object) -> CmdbError:
    """An object of this key is there already."""
    return CmdbError(DUPLICATE, f'A duplicate entry already exists: "{key}".')


def not_found(what: str, http_status: int = 404) -> CmdbError:
    """The object addressed is not there."""
    return CmdbError(NOT_FOUND, f"Entry not found: {what}.", http_status)


def bad_value(attribute: str, value: object, allowed: str) -> CmdbError:
    """A value outside what the attribute takes."""
    shown = str(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return CmdbError(
        BAD_VALUE, f"node_check_object fail! for {attribute} {shown}; allowed: {allowed}."
    )


def missing(attribute: str) -> CmdbError:
    """An attribute without which the object cannot be."""
    return CmdbError(EMPTY_VALUE, f"Attribute '{attribute}' MUST be set.")


def not_here(attribute: str, value: object) -> CmdbError:
    """This gateway does not do what a value asks for; of a list the first of each row is told."""
    if isinstance(value, list):
        rows = (row if isinstance(row, dict) else {"": row} for row in value)
        value = ", ".join(str(next(iter(row.values()), "")) for row in rows)
    return CmdbError(BAD_VALUE, f"The lab's gateway has no {attribute} {value}; use another.")


def malformed(message: str) -> CmdbError:
    """A request that lacks a parameter or whose body cannot be read."""
    return CmdbError(BAD_VALUE, message, 424)
