"""A checkout in which run.sh is called: all around it are stand-ins, and nothing is installed.

Its PATH has the tools of the system by name, and stand-ins for what would change the machine. What
it hands over to is a program that tells how it was called and ends with a code of the test's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TOOLS = (
    *("awk", "bash", "cat", "chmod", "chown", "comm", "env", "flock", "git", "grep", "iconv", "id"),
    *("mktemp", "readlink", "rm", "setsid", "sh", "sha256sum", "sort", "tee", "timeout", "true"),
)
OF_THE_LAB = (
    *("ip", "tc", "nft", "sshd", "ssh-keygen", "iperf3", "ps", "nginx", "vsftpd", "clamd", "squid"),
    *("dnsmasq", "curl", "openconnect", "swanctl"),
)
_PROGRAM = """\
import os, sys
if sys.argv[1:2] == ["labs-for"]: sys.exit(int(os.environ.get("LABS_FOR", 0)))
print("handed over:", *sys.argv[1:])
print("environment:", *sorted(n for n in os.environ if n.startswith(("PYTHON", "ROBOT", "REBOT"))))
sys.exit(int(os.environ.get("CODE", 0)))
"""
_LAB = """\
import subprocess, sys
sys.exit(subprocess.call(sys.argv[sys.argv.index("--") + 1:]))
"""
_PIP = """\
import os, sys
open(os.environ["RECORD"], "a").write("pip\\n")
sys.exit(int(os.environ.get("PIP", 0)))
"""
_PYTHON3 = """\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exec "$REAL_PYTHON" "$@"
echo venv >>"$RECORD"
exec "$REAL_PYTHON" -c 'import sys; sys.path.insert(0, "{tests}"); import launched
launched.environment(sys.argv[1])' "$4"
"""


def environment(folder: str | Path) -> None:
    """Make an environment of Python with a stand-in for pip."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, symlinks=True)
    (packages,) = Path(folder).glob("lib/python*/site-packages")
    (packages / "pip").mkdir()
    (packages / "pip" / "__init__.py").touch()
    (packages / "pip" / "__main__.py").write_text(_PIP)


class Checkout:
    """One below a folder.

    Args:
        folder: for it and its tools.
        place: of the checkout below the folder.
    """

    def __init__(self, folder: Path, place: str = "checkout") -> None:
        self.root, self.tools, self.record = folder / place, folder / "tools", folder / "record"
        self.venv = self.root / ".venv"
        self.environment = {
            "PATH": f"{self.tools}:{os.environ['PATH']}", "RECORD": str(self.record),
            "REAL_PYTHON": sys._base_executable, "WHO": "0",
        }  # fmt: skip
        self.root.mkdir(parents=True)
        shutil.copytree(ROOT / "requirements", self.root / "requirements")
        text = (ROOT / "run.sh").read_text(encoding="utf-8")
        assert PATH in text
        ipsec = folder / "ipsec"
        text = text.replace(PATH, '"$TOOLS"').replace("/usr/lib/ipsec", str(ipsec))
        text = text.replace("EUID", "WHO").replace("/usr/sbin/policy-rc.d", f"{folder}/policy-rc.d")
        self.environment["TOOLS"] = str(self.tools)
        self.run = self.root / "run.sh"
        self.run.write_text(text, encoding="utf-8")
        self.run.chmod(0o755)
        for name, program in (("libraries/gatepass", _PROGRAM), ("lab", _LAB)):
            (self.root / name).mkdir(parents=True)
            (self.root / name / "__main__.py").write_text(program)
        self.tools.mkdir()
        for name in TOOLS:
            found = shutil.which(name)
            assert found, name
            (self.tools / name).symlink_to(found)
        for name in OF_THE_LAB:
            self.tool(name)
        for name in (
            *("charon", "plugins/libstrongswan-openssl.so"),
            "plugins/libstrongswan-kernel-libipsec.so",
            "plugins/libstrongswan-eap-mschapv2.so",
        ):
            (ipsec / name).parent.mkdir(parents=True, exist_ok=True)
            (ipsec / name).touch()
        self.tool("python3", _PYTHON3.format(tests=ROOT / "tests"))
        self.tool("apt-get", '#!/bin/sh\necho "apt-get $*" >>"$RECORD"\n')
        self.tool("apt-cache", "#!/bin/sh\necho '  Candidate: (none)'\n")
        self.browser("chromium")

    def tool(self, name: str, text: str = "#!/bin/sh\n") -> None:
        """Have a program of that name, which does nothing unless it is said."""
        (self.tools / name).unlink(missing_ok=True)
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def without(self, *names: str) -> None:
        """Have none of these programs."""
        for name in names:
            (self.tools / name).unlink()

    def browser(self, name: str, works: bool = True) -> None:
        """Have one that answers, or a word of where to get it."""
        self.tool(name, f"#!/bin/sh\necho 'snap install chromium' >&2; exit {int(not works)}\n")

    def set_up(self, lock: str = "run") -> None:
        """Have an environment with all packages."""
        environment(self.venv)
        locks = self.root / "requirements"
        names = ("build", "run", lock)
        content = b"".join((locks / f"{name}.lock").read_bytes() for name in names)
        stamp = f"{hashlib.sha256(content).hexdigest()}  -\n"
        (self.venv / ".installed").write_text(stamp)

    def call(
        self, *words: str, by: tuple[str, ...] = (), **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Call it without a terminal.

        Args:
            words: of the call.
            by: what it is called by instead of its own name.
            more: variables of its environment.
        """
        return subprocess.run(
            [*(by or (str(self.run),)), *words],
            env=self.environment | more, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip

    @property
    def done(self) -> list[str]:
        """What was called that would have changed the machine."""
        return self.record.read_text().splitlines() if self.record.exists() else []
