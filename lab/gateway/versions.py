"""The FortiOS versions that the gateway can stand in for, and where their APIs differ."""

from __future__ import annotations

from dataclasses import dataclass

Release = tuple[int, int, int]

# Release -> build, as `get system status` shows it.
BUILDS: dict[Release, int] = {
    (7, 4, 0): 2360,
    (7, 4, 1): 2463,
    (7, 4, 2): 2571,
    (7, 4, 3): 2573,
    (7, 4, 4): 2662,
    (7, 4, 5): 2702,
    (7, 4, 6): 2726,
    (7, 4, 7): 2731,
    (7, 4, 8): 2795,
    (7, 4, 9): 2829,
    (7, 4, 10): 2867,
    (7, 4, 11): 2878,
    (7, 6, 0): 3401,
    (7, 6, 1): 3457,
    (7, 6, 2): 3462,
    (7, 6, 3): 3510,
    (7, 6, 4): 3596,
    (7, 6, 5): 3651,
    (7, 6, 6): 3652,
}


@dataclass(frozen=True)
class Version:
    """One FortiOS release and the traits of its API.

    Attributes:
        release: e.g. (7, 4, 8).
        build: build number of that release.
    """

    release: Release
    build: int

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read a version such as `7.4.8`.

        Raises:
            ValueError: the text names no release that the gateway can stand in for.
        """
        try:
            release = tuple(int(part) for part in text.removeprefix("v").split("."))
        except ValueError:
            release = ()
        if release not in BUILDS:
            known = ", ".join(".".join(map(str, r)) for r in BUILDS)
            raise ValueError(f"FortiOS version {text!r} is not known here; choose one of {known}.")
        return cls(release, BUILDS[release])

    def __str__(self) -> str:
        return "v" + ".".join(map(str, self.release))

    @property
    def cookie_login(self) -> bool:
        """Whether `/logincheck` yields a session, as well as `/api/v2/authentication`."""
        return self.release < (7, 6, 3)

    @property
    def token_in_url(self) -> bool:
        """Whether `?access_token=` is accepted unless it is switched on."""
        return self.release < (7, 4, 5)

    @property
    def hashed_cookies(self) -> bool:
        """Whether the names of a session's cookies carry a hash besides the port."""
        return self.release >= (7, 6, 0)
