"""What goes out of a run is the list, holds together, and is not taken for damaged."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath

import pytest
from sealed_run import unpacked, wrong

from gatepass import cli
from gatepass.base.errors import InputError
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.saved import KEY, SAVED
from gatepass.gateway.workspace import WHOLE
from gatepass.proof.export_command import export_runs
from gatepass.proof.folder import LEFT_BEHIND, SUMS
from gatepass.proof.outside import STAND_IN, is_for_outside
from gatepass.proof.verify import Trust, verify

SECRET = "10.99.7.3 belongs to an end user"
FAILURE = "failures/Delay/Large-Packets"
OUT = [
    *("certificate.html", "certificate.pdf", "certificate-signed.pdf", "study-rfc2544.html"),
    *("report.html", "log.html", "output.xml", "xunit.xml", "results.json", "trials.csv"),
    *("flows.csv", "trials/001-client.json", "evidence/One.jsonl", "inputs/order.yaml"),
    *("SHA256SUMS.sig", "SHA256SUMS.tsr", "SHA256SUMS.intoto.jsonl"),
]
IN = [
    *(SAVED, KEY, WHOLE, f"{SAVED}.enc", JOURNAL, "endpoints.jsonl", "progress.jsonl"),
    *(f"{FAILURE}/gateway/{one}.json" for one in ("policies", "sessions", "routes", "objects")),
    *(f"{FAILURE}/index.html", f"{FAILURE}/client.txt", f"{FAILURE}/exchanges/transfers.json"),
    *("inputs/testbed.yaml", "gui/page.png", "console.txt", "worker.txt", "recording.jsonl.gz"),
    *("trials/sub/001.json", "history.sqlite3", ".hidden", "old/certificate.html", "results.json~"),
]


def filled(folder: Path) -> Path:
    """A run with all that one may hold."""
    for names, content in ((OUT, "fine"), (IN, SECRET)):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    return folder


def there(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run on its own, a fleet's, and what lies beside them."""
    folder = tmp_path / "results"
    filled(folder / "20261127-205707-lab")
    filled(folder / "fleet-20261127-205707" / "orders" / "A-1")
    for name in ("fleet.json", "fleet.html", "output.xml", "console.txt"):
        (folder / "fleet-20261127-205707" / name).write_text("fine")
    for name in ("history.sqlite3", "replays/1/x/output.xml", "killed/journal.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SECRET)
    return folder


@pytest.mark.parametrize("name", IN)
def test_what_is_inside_stays(name: str) -> None:
    assert not is_for_outside(PurePosixPath(name))
    assert not is_for_outside(PurePosixPath("orders", "A-1", name))


@pytest.mark.parametrize("name", OUT)
def test_what_is_for_outside_goes_out(name: str) -> None:
    assert is_for_outside(PurePosixPath(name))
    assert is_for_outside(PurePosixPath("orders", "A-1", name))


def test_all_runs_of_a_folder(results: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "outside"
    assert export_runs([str(results), "--to", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"20261127-205707-lab", "fleet-20261127-205707"}
    page = f"{FAILURE}/index.html"
    assert there(out / "20261127-205707-lab") == {*OUT, page}
    fleet = out / "fleet-20261127-205707"
    assert there(fleet / "orders" / "A-1") == {*OUT, page}
    assert {path.name for path in fleet.iterdir()} == {
        "fleet.json", "fleet.html", "output.xml", "orders",
    }  # fmt: skip
    assert not [path for path in out.rglob("*") if path.is_file() and SECRET in path.read_text()]
    assert "files of 2 runs" in capsys.readouterr().out


@pytest.mark.parametrize("one", ["20261127-205707-lab", "fleet-20261127-205707"])
def test_one_of_them(results: Path, tmp_path: Path, one: str) -> None:
    assert export_runs([str(results / one), "--to", str(tmp_path / "to" / "outside")]) == 0
    assert "output.xml" in there(tmp_path / "to" / "outside")


def test_nothing_may_be_there(tmp_path: Path, capsys) -> None:
    """As where a call was refused before it made a run."""
    (tmp_path / "results").mkdir()
    assert export_runs([str(tmp_path / "results"), "--to", str(tmp_path / "outside")]) == 0
    assert "Nothing to export" in capsys.readouterr().out


def test_a_link_takes_nothing_out(results: Path, tmp_path: Path) -> None:
    run = results / "20261127-205707-lab"
    (run / "trials.csv").unlink()
    (run / "trials.csv").symlink_to(run / SAVED)
    (run / "evidence" / "Two.jsonl").symlink_to("/etc/passwd")
    (results / "linked").symlink_to(run)
    export_runs([str(results), "--to", str(tmp_path / "outside")])
    gone = there(tmp_path / "outside" / run.name)
    assert not {"trials.csv", "evidence/Two.jsonl"} & gone
    assert not (tmp_path / "outside" / "linked").exists()


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["nowhere", "--to", "x"], "no such folder"),
        (["results", "--to", "results/outside"], "Name a folder elsewhere"),
        (["results", "--to", "results"], "Name a folder elsewhere"),
        (["results", "--to", "full"], "something lies there"),
        (["results", "--to", "/proc/none/x"], "No such file"),
    ],
)
def test_a_mistake(results: Path, tmp_path: Path, monkeypatch, words, telling) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    with pytest.raises(InputError, match=telling):
        export_runs(words)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run, as it goes out."""
    folder = tmp_path_factory.mktemp("runs")
    run = unpacked(folder / "results")
    export_runs([str(run), "--to", str(folder / "outside" / run.name)])
    return folder / "outside" / run.name


def test_each_link_of_what_goes_out_leads_somewhere(exported: Path) -> None:
    pages = ["certificate.html", "report.html", "log.html"]
    links = {
        link
        for page in pages
        for link in re.findall(r'href=\\?"([^"#\\]+)', (exported / page).read_text("utf-8"))
        if not re.match(r"[a-z]+:|\$|\{\{|//", link)
    }
    assert "report.html" in links
    assert [link for link in links if not (exported / link).is_file()] == []


def test_verify_tells_what_stayed_from_what_is_missing(exported: Path) -> None:
    found = verify(exported, Trust())
    assert found.wrong == []
    names = (exported / LEFT_BEHIND).read_text().splitlines()
    told = f"{len(names)} files stayed behind when this was exported ({LEFT_BEHIND})"
    assert [one for one in found.open if one.startswith(told)]
    assert SAVED in names and "inputs/testbed.yaml" in names
    assert len(names) < len((exported / SUMS).read_text().splitlines())


def test_what_is_changed_or_gone_besides_is_still_told(exported: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(exported, tmp_path / exported.name))
    trial = next((copy / "trials").iterdir())
    trial.unlink()
    with (copy / LEFT_BEHIND).open("a") as names:
        names.write(f"trials/{trial.name}\n")
    (copy / SAVED).write_text("something else")
    told = wrong(copy)
    assert f"trials/{trial.name} is missing." in told
    assert f"{SAVED} was changed after the run was sealed." in told


def test_the_command_is_one_of_the_line(results: Path, tmp_path: Path, capsys) -> None:
    assert cli.main(["export", str(results), "--to", str(tmp_path / "outside")]) == 0
    assert cli.main(["export", str(results)]) == 64
    assert "--to" in capsys.readouterr().err


def test_the_stand_in_names_nothing_of_the_run() -> None:
    assert "href" not in STAND_IN and "<script" not in STAND_IN
