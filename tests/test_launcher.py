"""run.sh ends with a verdict's exit code only if the program that it hands over to does."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepass.base.chromium import BROWSERS
from launched import ROOT, Checkout

VALIDATE = "handed over: validate"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.set_up()
    return made


def is_its_own_failure(done: subprocess.CompletedProcess[str], *telling: str) -> None:
    """Code 70, and a sentence of its own at the end."""
    assert done.returncode == 70, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("Gatepass: ") and [one for one in telling if one not in last] == []
    assert "handed over" not in done.stdout


@pytest.mark.parametrize("code", [0, 1, 2, 3, 64, 70])
@pytest.mark.parametrize("words", [("validate",), ("--testbed", "x"), ()], ids=" ".join)
def test_the_programs_code_is_the_calls(
    checkout: Checkout, code: int, words: tuple[str, ...]
) -> None:
    """Also in a lab, and nothing is installed where nothing is missing."""
    done = checkout.call(*words, CODE=str(code))
    assert done.returncode == code and "handed over: " in done.stdout, done.stderr
    assert checkout.done == []


def python_too_old(checkout: Checkout) -> None:
    shutil.rmtree(checkout.venv)
    old = '#!/bin/sh\n[ "$1" != --version ] || echo Python 3.9.2\nexit 1\n'
    checkout.tool("python3", old)


def no_python(checkout: Checkout) -> None:
    shutil.rmtree(checkout.venv)
    checkout.without("python3", "apt-get")


def failing_apt(checkout: Checkout) -> None:
    checkout.without("git")
    checkout.tool("apt-get", "#!/bin/sh\nexit 1\n")


def useless_apt(checkout: Checkout) -> None:
    """Nothing of it is there afterwards."""
    shutil.rmtree(checkout.venv)
    checkout.without("python3")


def no_venv(checkout: Checkout) -> None:
    """As in a checkout that cannot be written."""
    shutil.rmtree(checkout.venv)
    checkout.tool("python3", '#!/bin/sh\n[ "$1 $2" != "-m venv" ] || exit 2\nexit 0\n')


def full_disk(checkout: Checkout) -> None:
    (checkout.venv / ".installed").unlink()
    (checkout.venv / ".interpreter").symlink_to("/proc/none/x")


def failing_pip(checkout: Checkout) -> None:
    (checkout.venv / ".installed").unlink()
    checkout.environment["PIP"] = "2"


def foreign_link(checkout: Checkout) -> None:
    """A link to what does not fit is not emptied through it."""
    elsewhere = checkout.root.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(checkout.venv)
    checkout.venv.symlink_to(elsewhere)


def no_locks(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / "requirements")


BEFORE = {
    python_too_old: "Python 3.11 or later is needed; this is Python 3.9.2",
    no_python: "no apt-get",
    failing_apt: "apt-get could not install: git",
    useless_apt: "Python 3.11 or later is needed",
    no_venv: "venv",
    full_disk: "cannot be written",
    failing_pip: "pip could not install",
    foreign_link: "Remove the link",
    no_locks: "ended before anything",
}


@pytest.mark.parametrize("break_it", BEFORE, ids=lambda one: one.__name__)
def test_what_goes_wrong_before_is_no_verdict(
    checkout: Checkout, break_it: Callable[[Checkout], None]
) -> None:
    break_it(checkout)
    is_its_own_failure(checkout.call("validate"), BEFORE[break_it])


def test_a_call_that_is_stopped_before_is_no_verdict(checkout: Checkout) -> None:
    checkout.without("git")
    checkout.tool("apt-get", "#!/bin/sh\nkill -TERM $PPID\n")
    done = checkout.call("validate")
    assert done.returncode == -signal.SIGTERM and "handed over" not in done.stdout


@pytest.mark.parametrize("code", [1, 2, 127])
@pytest.mark.parametrize("words", [(), ("study", "rfc2544")], ids=["run", "study"])
def test_a_program_that_dies_while_the_call_is_read(
    checkout: Checkout, code: int, words: tuple[str, ...]
) -> None:
    is_its_own_failure(checkout.call(*words, LABS_FOR=str(code)), f"(code {code})")
    assert checkout.call(*words, LABS_FOR="64").returncode == 64


@pytest.mark.parametrize("shell", ["dash", "sh"])
def test_another_shell_is_told_that_it_takes_bash(checkout: Checkout, shell: str) -> None:
    found = shutil.which(shell)
    if not found or Path(found).resolve().name == "bash":
        pytest.skip("there is none but bash")
    is_its_own_failure(checkout.call("validate", by=(found, str(checkout.run))), "with bash")


def test_bash_as_another_shell_will_do(checkout: Checkout) -> None:
    done = checkout.call("validate", by=("bash", "--posix", str(checkout.run)))
    assert done.returncode == 0 and VALIDATE in done.stdout


def test_a_script_without_a_file_does_not_know_where_it_is(checkout: Checkout) -> None:
    done = subprocess.run(
        ["bash", "-s", "validate"], input=checkout.run.read_text(),
        env=checkout.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    is_its_own_failure(done, "Call the file itself")


@pytest.mark.parametrize(
    "place",
    ["co:lon/x", "new\nline", "\x1b[31m", b"latin\xe4".decode(errors="surrogateescape")],
    ids=ascii,
)
def test_a_place_that_no_path_can_name(tmp_path: Path, place: str) -> None:
    made = Checkout(tmp_path, place)
    is_its_own_failure(made.call("validate"), "Move it elsewhere")


@pytest.mark.parametrize(
    "place",
    [
        "a b",
        "-x",
        "a[1]*?",
        "q'u\"o",
        "d$HOME`x`",
        "pähkinä",
        "h#%&;(~)",
        "back\\slash",
        "{testbed}",
        "${x}",
    ],
)
def test_an_odd_place_will_do(tmp_path: Path, place: str) -> None:
    made = Checkout(tmp_path, place)
    made.set_up()
    for words in ("validate",), ():
        done = made.call(*words)
        assert done.returncode == 0 and "handed over: " in done.stdout, done.stderr


def test_it_may_be_called_by_a_link(checkout: Checkout, tmp_path: Path) -> None:
    """Also by one of a chain of links, each of them relative."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gatepass").symlink_to("../between")
    (tmp_path / "between").symlink_to("checkout/run.sh")
    done = checkout.call("validate", by=(str(tmp_path / "bin" / "gatepass"),))
    assert done.returncode == 0 and VALIDATE in done.stdout, done.stderr


def test_what_was_meant_for_other_work_is_not_heeded(checkout: Checkout) -> None:
    foreign = {
        "CDPATH": f".:{checkout.root.parent}", "GLOBIGNORE": "*", "POSIXLY_CORRECT": "1",
        "PYTHONHOME": "/none", "PYTHONPATH": "/none", "PYTHONOPTIMIZE": "2", "PYTHONINSPECT": "1",
        "PYTHONWARNINGS": "error", "ROBOT_OPTIONS": "--dryrun", "REBOT_OPTIONS": "--nosuch",
        "ROBOT_SYSLOG_FILE": "/proc/none/x", "PIP_TARGET": "/none", "TMPDIR": "/none",
    }  # fmt: skip
    words = ("bash", f"{checkout.root.name}/run.sh", "validate")
    done = checkout.call(
        by=("sh", "-c", f"cd '{checkout.root.parent}'; exec {' '.join(words)}"), **foreign
    )
    assert done.returncode == 0 and VALIDATE in done.stdout, done.stderr
    assert "environment: PYTHONDONTWRITEBYTECODE PYTHONPATH\n" in done.stdout


def test_an_empty_environment_will_do(checkout: Checkout) -> None:
    """No HOME, no USER, no LANG."""
    done = checkout.call("validate")
    assert not {"HOME", "USER", "LANG"} & set(checkout.environment)
    assert done.returncode == 0 and VALIDATE in done.stdout, done.stderr


def test_an_output_that_nobody_reads_will_do(checkout: Checkout) -> None:
    """What it says of its setting up is lost, and costs nothing."""
    (checkout.venv / ".installed").unlink()
    code = f"exec '{checkout.run}' validate 2>&-"
    done = checkout.call(by=("sh", "-c", code))
    assert done.returncode == 0 and VALIDATE in done.stdout


def gone(checkout: Checkout) -> None:
    """As after an upgrade of the distribution."""
    python = checkout.venv / "bin" / "python"
    python.unlink()
    python.symlink_to("/usr/bin/python3.0")


def another(checkout: Checkout) -> None:
    """As after an upgrade of Python in place: its packages are looked for elsewhere."""
    (library,) = checkout.venv.glob("lib/python*")
    library.rename(library.with_name("python3.0"))


def another_machine(checkout: Checkout) -> None:
    (checkout.venv / ".interpreter").write_text(f"cpython-300 vax {checkout.venv}\n")


def moved(checkout: Checkout) -> None:
    checkout.call("validate")
    kept = (checkout.venv / ".interpreter").read_text()
    (checkout.venv / ".interpreter").write_text(kept.replace("checkout", "before"))


def half_made(checkout: Checkout) -> None:
    """Somebody pressed Ctrl-C while it was made."""
    shutil.rmtree(checkout.venv)
    (checkout.venv / "bin").mkdir(parents=True)


def of_the_system(checkout: Checkout) -> None:
    """Its packages would go among those of the system."""
    (checkout.venv / "pyvenv.cfg").unlink()


UNFIT = [gone, another, another_machine, moved, half_made, of_the_system]


@pytest.mark.parametrize("change", UNFIT, ids=lambda one: one.__name__)
def test_an_environment_of_another_interpreter_is_made_anew(
    checkout: Checkout, change: Callable[[Checkout], None]
) -> None:
    checkout.set_up()
    (checkout.venv / ".installed").unlink()
    assert checkout.call("validate").returncode == 0  # which notes what it is of
    assert checkout.done == ["pip", "pip"]
    checkout.record.unlink()
    change(checkout)
    done = checkout.call("validate")
    assert done.returncode == 0 and VALIDATE in done.stdout, done.stderr
    assert checkout.done == ["venv", "pip", "pip"]
    checkout.record.unlink()
    assert checkout.call("validate").returncode == 0
    assert checkout.done == []


def test_what_the_tests_need_holds_what_a_run_needs(checkout: Checkout) -> None:
    checkout.set_up("dev")
    assert checkout.call("validate").returncode == 0
    assert checkout.done == []


def test_two_calls_set_up_one_after_the_other(checkout: Checkout) -> None:
    shutil.rmtree(checkout.venv)
    calls = [
        subprocess.Popen(
            [checkout.run, "validate"], env=checkout.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]  # fmt: skip
    assert [(one.communicate(timeout=120), one.returncode)[1] for one in calls] == [0, 0, 0]
    assert checkout.done == ["venv", "pip", "pip"]


SUDO = '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n'


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_programs_code_gets_through_sudo(checkout: Checkout, code: int) -> None:
    checkout.tool("sudo", SUDO)
    done = checkout.call(WHO="1000", CODE=str(code))
    assert done.returncode == code and "handed over: run" in done.stdout, done.stderr


@pytest.mark.parametrize("kind", ["password", "not allowed", "missing"])
def test_a_sudo_that_does_not_let_it_begin_is_no_verdict(checkout: Checkout, kind: str) -> None:
    if kind != "missing":
        checkout.tool("sudo", f"#!/bin/sh\necho 'sudo: a {kind}' >&2\nexit 1\n")
    is_its_own_failure(checkout.call(WHO="1000"), "sudo", "name a --testbed")


def test_nobodys_sudo_is_used_unasked(checkout: Checkout) -> None:
    """By root it installs them without a terminal, as a pipeline's container does."""
    checkout.tool("sudo", SUDO)
    checkout.without("git")
    is_its_own_failure(checkout.call("validate", WHO="1000"), "git", "--yes")
    assert checkout.done == []
    assert checkout.call("validate", "--yes", WHO="1000").returncode == 0
    assert "apt-get install -y -q --no-install-recommends git" in checkout.done
    checkout.record.unlink()
    assert checkout.call("validate").returncode == 0
    assert "apt-get install -y -q --no-install-recommends git" in checkout.done


@pytest.mark.parametrize("answer", ["n\n", "", "\x04"], ids=["no", "yes by return", "end"])
def test_who_is_asked_may_say_no(checkout: Checkout, answer: str) -> None:
    checkout.without("git")
    here, there = pty.openpty()
    os.write(here, (answer or "\n").encode())
    done = subprocess.run(
        [checkout.run, "validate"], env=checkout.environment, stdin=there, stderr=there,
        stdout=subprocess.PIPE, timeout=60, check=False,
    )  # fmt: skip
    os.close(there)
    assert done.returncode == (0 if answer == "" else 70)
    assert bool(checkout.done) == (answer == "")
    os.close(here)


@pytest.mark.parametrize("name", BROWSERS)
def test_any_chromium_will_do(checkout: Checkout, name: str) -> None:
    checkout.without("chromium")
    checkout.browser(name)
    assert checkout.call().returncode == 0
    assert checkout.done == []


@pytest.mark.parametrize("stub", [True, False], ids=["a stub", "none"])
def test_a_browser_that_cannot_be_had_is_missed_once(checkout: Checkout, stub: bool) -> None:
    """Where apt has none, as in Ubuntu, whose package tells of a snap alone."""
    checkout.without("chromium")
    if stub:
        checkout.browser("chromium-browser", works=False)
    done = checkout.call()
    assert done.returncode == 0 and "handed over: run" in done.stdout, done.stderr
    assert done.stderr.count("There is no Chromium here") == 1
    assert checkout.done == ["apt-get update -q"]
    done = checkout.call()
    assert done.returncode == 0 and "Chromium" not in done.stderr
    assert checkout.done == ["apt-get update -q"]


def test_a_browser_that_can_be_had_is_installed(checkout: Checkout) -> None:
    checkout.without("chromium")
    checkout.tool("apt-cache", "#!/bin/sh\necho '  Candidate: 120.0-1'\n")
    assert checkout.call().returncode == 0
    assert checkout.done[-1] == "apt-get install -y -q --no-install-recommends chromium"


@pytest.mark.parametrize("kind", ["no apt", "not asked"])
def test_no_browser_keeps_nothing_from_being_done(checkout: Checkout, kind: str) -> None:
    checkout.without("chromium", *(["apt-get"] if kind == "no apt" else []))
    checkout.tool("sudo", SUDO)
    done = checkout.call(WHO="0" if kind == "no apt" else "1000")
    assert done.returncode == 0 and "handed over: run" in done.stdout, done.stderr
    assert checkout.done == []


@pytest.mark.parametrize("module", ["gatepass", "lab"])
def test_a_program_that_cannot_be_loaded_is_no_verdict(tmp_path: Path, module: str) -> None:
    """As where a package is gone from the environment."""
    (tmp_path / "yaml.py").write_text("raise ImportError('gone')")
    (tmp_path / "signal.py").write_text("raise ImportError('gone')")
    path = os.pathsep.join(map(str, (tmp_path, ROOT / "libraries", ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", module, "run"], cwd=ROOT, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 70 and "Traceback" not in done.stderr, done.stderr
    assert "gone" in done.stderr
