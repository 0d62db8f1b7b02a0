"""What forgers do to a sealed run: each function alters what it is about, and nothing that follows.

`data/sealed` has a run against the lab whose rate limit was set below the tier: it was rejected,
and every forger here would like it to say otherwise. It was made by

    python -m lab run --fault shaper-below-tier -- python -m gatepass run --testbed '{testbed}' \\
      -- --test "*.Before the test.*" --test "*.Handover.*" --test "One Policy, Without NAT"

and stays as it is: a later Gatepass has to be able to look at it as well.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

from careful_forger import Content, altered, as_of_today, with_files_as_they_are, write
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

from gatepass.base.digests import digest_of
from gatepass.proof.folder import INPUTS

CHECK = "One Policy, Without NAT"
Forgery = Callable[[Path], None]


def edited(pattern: str, by: str, name: str = "output.xml", every: bool = False) -> Forgery:
    """A file with a pattern replaced, at its first place or at every one."""

    def forge(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        new, count = re.subn(pattern, by, text, count=0 if every else 1)
        assert count and new != text
        (folder / name).write_text(new, encoding="utf-8")

    return forge


def passed(folder: Path) -> None:
    """The check that failed says that it passed."""
    tree = ElementTree.parse(folder / "output.xml")
    (test,) = (test for test in tree.iter("test") if test.get("name") == CHECK)
    for status in test.iter("status"):
        if status.get("status") == "FAIL":
            status.set("status", "PASS")
            status.text = ""
    tree.write(folder / "output.xml", encoding="UTF-8", xml_declaration=True)


def without_the_check(folder: Path) -> None:
    """The check that failed never ran, and was never planned."""
    tree = ElementTree.parse(folder / "output.xml")
    for suite in tree.iter("suite"):
        for test in [test for test in suite.findall("test") if test.get("name") == CHECK]:
            suite.remove(test)
    tree.write(folder / "output.xml", encoding="UTF-8", xml_declaration=True)
    edited(rf'\["Stateful Firewall", "{CHECK}"\], ', "")(folder)


def first_trial(folder: Path) -> Path:
    """The receiver's report of a trial that the check counts."""
    text = (folder / "output.xml").read_text()
    numbers = [json.loads(line[14:]) for line in re.findall(r"gatepass-data \{.*\}", text)]
    trial = next(one for one in numbers if one["kind"] == "trial" and one["to"] == "198.18.2.10")
    return folder / "trials" / f"{trial['number']:03d}-server.json"


def raised_trial(folder: Path) -> None:
    """A trial's own report tells of more bytes than came through."""
    path = first_trial(folder)
    report = json.loads(path.read_text())
    report["end"]["sum_received"]["bytes"] *= 1.2
    path.write_text(json.dumps(report))


def lost_trial(folder: Path) -> None:
    """A trial's own report is gone."""
    first_trial(folder).unlink()


def added_trial(folder: Path) -> None:
    """A trial that never ran."""
    path = first_trial(folder)
    path.with_name("999-server.json").write_bytes(path.read_bytes())


def smaller_promise(folder: Path) -> None:
    """The catalogue promises less for the tier."""
    edited(r"stateful_mbps: 300", "stateful_mbps: 200", f"{INPUTS}/service_catalogue.yaml")(folder)


def another_page(folder: Path) -> None:
    """The certificate is of another run."""
    path = folder / "certificate.html"
    digest = digest_of(folder / "output.xml")
    path.write_text(path.read_text().replace(digest, "0" * 64))


def raised_mean(folder: Path) -> None:
    """The measurement that missed its promise has another mean."""
    measured = r'("kind": "measurement".*?"promise": "stateful_throughput".*?"value": )'
    edited(rf"{measured}\d+\.\d+", r"\g<1>317.2")(folder)


def raised_trials(folder: Path) -> None:
    """Mean and trials agree with each other, and with no file."""
    edited(
        r'("promise": "stateful_throughput".*?"trials": )\[[^]]*\](.*?"value": )\d+\.\d+',
        r"\g<1>[317.1, 317.2, 317.3]\g<2>317.2",
    )(folder)


def without(kind: str) -> Forgery:
    """The record has lost all entries of a kind."""
    return edited(rf'gatepass-data (?=\{{[^<]*"kind": "{kind}")', "", every=True)


def raised_trials_of_nobody(folder: Path) -> None:
    """Mean and trials agree with each other, and no trial was ever noted."""
    raised_trials(folder)
    without("trial")(folder)


def with_values(**values: object) -> Callable[[Content], Content | None]:
    """What changes a record of a figure with bounds of Student's t."""
    return lambda content: None if content.get("level") is None else content | values


def one_trial_less(content: Content) -> Content | None:
    """The first trial is no part of a figure any more."""
    if content.get("level") is None:
        return None
    return content | {"trials": content["trials"][1:]}


def worst_set_aside(content: Content) -> Content | None:
    """A trial is called disturbed, and its hosts were quiet."""
    if content.get("number") != 1:
        return None
    return content | {"set_aside": "the client stood still for 400 ms"}


def disturbed_and_counted(content: Content) -> Content | None:
    """The host of a trial was busy, and nobody says so."""
    if content.get("number") != 1:
        return None
    hosts = content["hosts"] | {"client": content["hosts"]["client"] | {"late_percent": 60.0}}
    return content | {"hosts": hosts}


def larger_trials(folder: Path) -> None:
    """iperf3's reports tell of half as much again, on both sides, in each sum."""
    for path in (folder / "trials").glob("*.json"):
        path.write_text(json.dumps(_larger(json.loads(path.read_text()))))
    with_files_as_they_are(folder)


def _larger(told: object) -> object:
    if isinstance(told, list):
        return [_larger(one) for one in told]
    if not isinstance(told, dict):
        return told
    return {
        key: value * 3 // 2 if key in ("bytes", "bits_per_second") else _larger(value)
        for key, value in told.items()
    }


def one_larger_sum(folder: Path) -> None:
    """iperf3's own sum of a trial does not fit its intervals."""
    path = folder / "trials" / "001-server.json"
    told = json.loads(path.read_text())
    told["end"]["sum_received"]["bytes"] += 5_000_000
    path.write_text(json.dumps(told))
    with_files_as_they_are(folder)


def a_month_back(folder: Path) -> None:
    """All dates of the output are those of a month before; nobody thought of iperf3's clock."""
    edited("2026-11-25", "2026-10-25", every=True)(folder)


def without_a_chapter(folder: Path) -> None:
    """A chapter is no part of the output, nor of the plan."""
    tree = ElementTree.parse(folder / "output.xml")
    for suite in tree.iter("suite"):
        for chapter in [one for one in suite.findall("suite") if one.find(".//test") is not None]:
            if chapter.get("name") == "Stateful Firewall":
                suite.remove(chapter)
    write(tree, folder)

    def shorter(content: Content) -> Content | None:
        if "plan" not in content:
            return None
        plan = [one for one in content["plan"] if one[0] != "Stateful Firewall"]
        return content | {"plan": plan}

    altered("run", shorter)(folder)


def another_gateway(folder: Path) -> None:
    """Serial, model and testbed are those of somebody's own firewall."""
    edited("LABGW08130187225", "FGVM02TM24001234", every=True)(folder)
    edited("FortiGate-VM64-LAB", "FortiGate-VM64", every=True)(folder)
    edited("Embedded lab", "Example Oy", every=True)(folder)


def one_figure(folder: Path) -> None:
    """Only one may fail by chance, which makes the bounds of a fail narrower; they follow."""
    as_of_today(folder, figures=1)


def another_hostname(folder: Path) -> None:
    edited('"hostname": "customer-gw"', '"hostname": "edge-1"')(folder)


def another_testbed(folder: Path) -> None:
    edited('"name": "lab-run-0bc69f"', '"name": "helsinki-1"')(folder)


def another_message(folder: Path) -> None:
    """The log says other figures than the records; who looks at the records sees the old ones."""
    edited(r"(Stateful throughput, 1 policy, NAT off: )2\d\d", r"\g<1>317", every=True)(folder)


def log_by_hand(folder: Path) -> None:
    edited("LABGW08130187225", "FGVM02TM24001234", "log.html", every=True)(folder)


def report_by_hand(folder: Path) -> None:
    edited('"fail":1,', '"fail":0,', "report.html", every=True)(folder)


def cases_by_hand(folder: Path) -> None:
    edited(r'failures="1"', 'failures="0"', "xunit.xml", every=True)(folder)


def table_by_hand(folder: Path) -> None:
    edited(r"24\d\.\d", "312.5", "trials.csv", every=True)(folder)


def _run_with(key: str, change: Callable[[Content], Content]) -> Forgery:
    """The record of the run is changed where it has a key."""
    return altered("run", lambda content: change(content) if key in content else None)


def profile_less_sure(folder: Path) -> None:
    """The profile asks for less."""
    edited(r"confidence: 0\.95", "confidence: 0.6", f"{INPUTS}/profiles.yaml", every=True)(folder)
    with_files_as_they_are(folder)


def less_sure(folder: Path) -> None:
    """The profile asks for less, and each figure and each sentence is as sure as that."""
    profile_less_sure(folder)
    altered("measurement", lambda one: one | {"confidence": 0.6})(folder)
    as_of_today(folder)
    edited(r"± [\d.]+ Mbit/s \(95 %", "± 0.2 Mbit/s (60 %", every=True)(folder)


def smaller_order(folder: Path) -> None:
    """The order is for a smaller tier, in its file and in the record."""
    edited("SGW-200", "SGW-20", f"{INPUTS}/order.yaml", every=True)(folder)
    with_files_as_they_are(folder)
    as_of_today(folder)


def another_program(folder: Path) -> None:
    """An altered copy of Gatepass ran, which says of one of its files what it is."""
    edited("^[0-9a-f]{8}", "01234567", f"{INPUTS}/program.sha256")(folder)
    with_files_as_they_are(folder)


def another_observation(folder: Path) -> None:
    """What an altered program would have recorded, and says of itself that it is not altered."""
    edited("The gateway reports its licence as valid", "Its licence is good", every=True)(folder)


def no_program(folder: Path) -> None:
    """Nothing tells of which program the run is."""
    (folder / INPUTS / "program.sha256").unlink()
    _run_with(INPUTS, lambda content: content | {INPUTS: _without(content[INPUTS])})(folder)


def _without(kept: dict[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in kept.items() if name != "program.sha256"}


def page_of_another_program(folder: Path) -> None:
    """The program is said to be another one, which wrote the page otherwise."""
    another_program(folder)
    digest = digest_of(folder / "output.xml")
    page = folder / "certificate.html"
    text = re.sub('content="[0-9a-f]{64}"', f'content="{digest}"', page.read_text())
    text = re.sub(r"(output\.xml: )[0-9a-f]{64}", rf"\g<1>{digest}", text)
    page.write_text(text.replace("249", "906"))


def shorter_plan(folder: Path) -> None:
    """One check was never planned."""
    _run_with("plan", lambda content: content | {"plan": content["plan"][1:]})(folder)


def not_decided(folder: Path) -> None:
    """The check that failed says that it could not be decided."""
    tree = ElementTree.parse(folder / "output.xml")
    (test,) = (test for test in tree.iter("test") if test.get("name") == CHECK)
    for status in test.iter("status"):
        if status.get("status") == "FAIL":
            status.set("status", "SKIP")
            status.text = "Not proven: the rig was too busy."
    write(tree, folder)


def ran_twice(folder: Path) -> None:
    """A check that passed is there twice."""
    tree = ElementTree.parse(folder / "output.xml")
    for suite in tree.iter("suite"):
        if tests := [test for test in suite.findall("test") if test.get("name") != CHECK]:
            copy = ElementTree.fromstring(ElementTree.tostring(tests[-1]))
            copy.set("name", "Another Check")
            suite.append(copy)
            break
    write(tree, folder)


def another_hostname_everywhere(folder: Path) -> None:
    """In the record and in the configuration that was saved."""
    for name in ("output.xml", "gateway-before.conf"):
        edited("customer-gw", "edge-1", name, every=True)(folder)
    with_files_as_they_are(folder)


def best_trial_only(content: Content) -> Content | None:
    """The best trial of a figure is counted three times."""
    if content.get("level") is None or not content.get("trials"):
        return None
    best = max(content["trials"])
    return content | {"trials": [best] * len(content["trials"]), "value": best, "half_width": 0.0}


def picture_over_the_text(folder: Path) -> None:
    """Figures are drawn over those of the PDF, whose words stay what they were."""
    path = folder / "certificate.pdf"
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.add_metadata(dict(PdfReader(path).metadata))
    page = writer.pages[0]
    picture = DecodedStreamObject()
    picture.set_data(
        b"q 150 0 0 12 120 560 cm BI /W 8 /H 1 /CS /G /BPC 1 ID \xaa EI Q"
    )
    page[NameObject("/Contents")] = writer._add_object(_after(page, picture))
    writer.write(path)


def _after(page: object, picture: DecodedStreamObject) -> DecodedStreamObject:
    whole = DecodedStreamObject()
    whole.set_data(b"q " + page.get_contents().get_data() + b" Q " + picture.get_data())
    return whole


def both(*forgeries: Forgery) -> Forgery:
    """One forgery after the other."""

    def forge(folder: Path) -> None:
        for one in forgeries:
            one(folder)

    return forge
