"""Test files on the server: put there for a run, and taken away after it."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from gatepass.base.errors import NotProven
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.specimens import Specimen

_PIECE = 4 * 2**20


class TestFiles:
    """The run's folder in the root of the file server.

    Args:
        shell: the server.
        root: the folder that the file server shows.
        mark: of the run; the folder's name.
    """

    __test__ = False  # the name is the thing's, not a test's

    def __init__(self, shell: Shell, root: str, mark: str) -> None:
        self.shell = shell
        self.mark = mark
        self._folder = f"{root.rstrip('/')}/{mark}"
        self._there: set[str] = set()

    def path(self, name: str) -> str:
        """The path of a file in a URL."""
        return f"{self.mark}/{name}"

    def put(self, specimens: Iterable[Specimen]) -> None:
        """Write the specimens, once.

        Raises:
            NotProven: the folder cannot be written.
        """
        for specimen in specimens:
            if specimen.file in self._there:
                continue
            self._make_folder()
            target = f"{self._folder}/{specimen.file}"
            for start in range(0, len(specimen.content), _PIECE):
                piece = base64.b64encode(specimen.content[start : start + _PIECE]).decode()
                place = f"{self.shell.folder()}/piece"
                self.shell.put(piece, place)
                how = script(">>") if start else script(">")
                self._must(
                    script(
                        "base64 -d < {place} {how} {target} && rm {place}",
                        place=place,
                        how=how,
                        target=target,
                    )
                )
            self._there.add(specimen.file)

    def noise(self, name: str, size: int) -> None:
        """Write a file of random bytes, which no cache and no compression makes smaller.

        Args:
            name: of the file.
            size: in bytes.

        Raises:
            NotProven: the folder cannot be written.
        """
        if name not in self._there:
            self._make_folder()
            target = f"{self._folder}/{name}"
            write = script("head -c {size} /dev/urandom > {target}", size=size, target=target)
            self._must(write, 600)
            self._there.add(name)

    def write(self, command: Script, what: str) -> None:
        """Let a shell command write files into the run's folder, once.

        Args:
            command: that writes into the current folder.
            what: by which it is known that this was done.

        Raises:
            NotProven: the folder cannot be written.
        """
        if what not in self._there:
            self._make_folder()
            self._must(script("cd {folder} && {command}", folder=self._folder, command=command))
            self._there.add(what)

    def remove(self) -> None:
        """Take all of it away."""
        if self._there:
            self.shell.run(script("rm -rf {folder}", folder=self._folder), timeout_s=60)
            self._there.clear()

    def _make_folder(self) -> None:
        # readable by the servers, whoever they run as
        self._must(script("mkdir -p {folder} && chmod 755 {folder}", folder=self._folder))

    def _must(self, command: Script, timeout_s: float = 60) -> None:
        readable = script("umask 022; {command}", command=command)
        done = self.shell.run(readable, timeout_s=timeout_s, again=True)
        if done.status:
            raise NotProven(
                f"test files cannot be put into {self._folder} on the {self.shell.name}: "
                f"{done.errors.strip()}. See endpoints.server.files in the testbed file."
            )
