"""Answers that a run keeps, and observations that are made of them again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from answered_run import (
    MARK,
    answer_altered,
    answers,
    arrived,
    asked,
    at_the_edge,
    leaking,
    of_scans,
    open_to_all,
    with_answers,
)
from careful_forger import Content, altered, remade

from gatepass.endpoint.specimens import EICAR
from gatepass.proof.findings import Findings
from gatepass.proof.verify import Trust, verify
from gatepass.results.kept_answers import AnswerFiles, Kept, file_of, read
from gatepass.scenarios.answers import CLAIMS, KINDS
from gatepass.scenarios.security.answers import NoByte, SpecimenArrived, StoppedLogged

Forgery = Callable[[Path], None]
HONEST, STOPS_NOTHING, OPEN, EDGE = "honest", "stops nothing", "open to all", "at the edge"
LEAKS = "leaks"
GATEWAYS = {
    HONEST: answers,
    STOPS_NOTHING: arrived,
    OPEN: open_to_all,
    EDGE: at_the_edge,
    LEAKS: leaking,
}
"""The answers that a check was given by each."""


def found(folder: Path) -> Findings:
    return verify(folder, Trust())


def about_answers(folder: Path) -> list[str]:
    return [one for one in found(folder).wrong if "answer" in one]


HONESTLY = [*answers(), *at_the_edge(), *of_scans()]


@pytest.mark.parametrize("answer", HONESTLY, ids=lambda one: type(one).__name__)
def test_what_was_written_makes_the_same_observation(tmp_path: Path, answer) -> None:
    number, kept = AnswerFiles(tmp_path).keep("Security Services", "A Virus", answer)
    (again,) = read(tmp_path, KINDS)
    file = "evidence/Security-Services-A-Virus.jsonl"
    assert again == Kept(1, "Security Services", "A Virus", kept, file)
    assert number == 1 and kept == answer
    assert kept.evidence() == answer.evidence() and kept.evidence().holds
    assert not list(kept.contradictions())
    assert kept.evidence().claim.name in kept.CLAIMS <= CLAIMS


def test_numbers_go_through_the_run(tmp_path: Path) -> None:
    files = AnswerFiles(tmp_path)
    numbers = [files.keep("Chapter", check, answers()[0])[0] for check in ("A", "B", "A")]
    assert numbers == [1, 2, 3]
    assert len(list((tmp_path / "evidence").iterdir())) == 2


def test_secrets_stand_in_no_answer(tmp_path: Path) -> None:
    one = asked("a clean file")
    told = replace(one.download, words="the token is s3cr3t-token, and Bearer abcdef")
    AnswerFiles(tmp_path).keep(
        "A", "B", SpecimenArrived(replace(one, download=told), True), ["s3cr3t-token"]
    )
    text = (tmp_path / file_of("A", "B")).read_text()
    assert "s3cr3t" not in text and "abcdef" not in text


def test_a_large_file_is_kept_by_its_beginning(tmp_path: Path) -> None:
    AnswerFiles(tmp_path).keep("A", "B", SpecimenArrived(asked("a clean file"), True))
    assert (tmp_path / file_of("A", "B")).stat().st_size < 4096


def test_a_line_that_is_no_answer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "evidence" / "a.jsonl"
    path.parent.mkdir()
    head = {"number": 1, "chapter": "A", "check": "B", "kind": "NoByte"}
    lines = ["{", "[]", json.dumps(head | {"answer": {}}), json.dumps(head | {"kind": "Path"})]
    path.write_text("\n".join(lines))
    assert list(read(tmp_path, KINDS)) == [
        f"evidence/a.jsonl, line {place}: this is no answer that Gatepass keeps"
        for place in range(1, 5)
    ]


def test_the_virus_test_file_is_known_by_its_own_digest() -> None:
    virus = asked("the virus test file")
    assert virus.arrived and virus.specimen.content == EICAR
    assert not NoByte(virus).evidence().holds


def test_an_entry_of_another_client_is_none() -> None:
    row = {"action": "blocked", "srcip": "198.18.1.99", "policyid": "7", "virus": "x"}
    told = StoppedLogged.of("virus", "198.18.1.10", 7, 0, [row])
    assert not told.evidence().holds
    assert list(told.contradictions())


def test_an_honest_run_is_in_order(sealed: Path, made_here: None) -> None:
    with_answers(sealed, answers())
    looked = found(sealed)
    assert looked.wrong == []
    assert "observations, made again from the answers that were kept: 4" in looked.seen
    assert [one for one in looked.open if "could not be made again" in one]


def test_a_run_of_before_is_not_accused(sealed: Path) -> None:
    looked = found(sealed)
    assert looked.wrong == []
    (told,) = (one for one in looked.open if "could not be made again" in one)
    assert told.startswith("Of ")


def holds(content: Content) -> Content | None:
    """An observation that did not hold does."""
    if content["claim"]["say"] != "stopped":
        return None
    return content | {"holds": True, "observed": "answer 403, 16 bytes; it did not arrive."}


def of_stopped(**values: object) -> Callable[[Content], Content | None]:
    return lambda told: told | values if told["claim"]["say"] == "stopped" else None


def without_answer(number: int) -> Callable[[Content], Content | None]:
    return lambda told: told | {"answer": None} if told.get("answer") == number else None


def of_download(**values: object) -> Callable[[Content], Content]:
    """The transfer of an answer ended otherwise."""

    def change(kept: Content) -> Content:
        told = kept["answer"]["asked"]
        told["download"] |= values
        return kept

    return change


def of_asked(**values: object) -> Callable[[Content], Content]:
    def change(kept: Content) -> Content:
        kept["answer"]["asked"] |= values
        return kept

    return change


def of_log(**values: object) -> Callable[[Content], Content]:
    return lambda kept: kept | {"answer": kept["answer"] | values}


def holding(number: int) -> Callable[[Content], Content | None]:
    return lambda told: told | {"holds": True} if told.get("answer") == number else None


def silent(kept: Content) -> Content:
    """A connection got no answer, says the forger, and forgets whom it was seen from."""
    kept["answer"]["tried"] |= {"outcome": "answered", "detail": ""}
    return kept


def also(*forgeries: Forgery) -> Forgery:
    def forge(folder: Path) -> None:
        for one in forgeries:
            one(folder)

    return forge


FORGERIES: dict[str, tuple[str, Forgery, str]] = {
    "15 what did not hold holds": (
        STOPS_NOTHING,
        altered("evidence", holds),
        "is recorded as so; by answer 1 in evidence/",
    ),
    "15 and follows from nothing": (
        STOPS_NOTHING,
        also(altered("evidence", holds), altered("evidence", of_stopped(answer=None))),
        "no answer is kept that this follows from: The virus test file is stopped over",
    ),
    "15 and its answer is gone": (
        STOPS_NOTHING,
        also(altered("evidence", holds), answer_altered(1, lambda kept: None)),
        "answer 1 of its own is not there",
    ),
    "15 and follows from another's answer": (
        STOPS_NOTHING,
        also(altered("evidence", holds), altered("evidence", of_stopped(answer=3))),
        "answer 3 of its own is not there",
    ),
    "15 and the digest is another": (
        STOPS_NOTHING,
        also(altered("evidence", holds), answer_altered(1, of_download(digest="0" * 64))),
        "do not have the digest 000",
    ),
    "15 and the answer is 403": (
        STOPS_NOTHING,
        also(
            altered("evidence", of_stopped(holds=True)),
            answer_altered(1, of_download(digest="0" * 64, status=403, bytes=16)),
        ),
        "its status line is HTTP/1.1 200",
    ),
    "15 and the virus is another specimen": (
        STOPS_NOTHING,
        also(
            altered("evidence", of_stopped(holds=True)),
            answer_altered(1, of_asked(what="a virus in a large archive")),
        ),
        "a virus in a large archive over HTTP is told of, and “GET http://",
    ),
    "15 and the specimens are of another run": (
        STOPS_NOTHING,
        answer_altered(2, of_asked(mark="gp999999")),
        "its mark is gp999999, and before it is gp0a1b2c",
    ),
    "other words": (
        HONEST,
        altered("evidence", of_stopped(observed="nothing at all came.")),
        "nothing at all came.” is recorded; answer 1 in",
    ),
    "the last answer is of no observation": (
        HONEST,
        altered("evidence", without_answer(4)),
        "answer 4, which it was given, is followed by no observation",
    ),
    "an answer between is gone": (
        HONEST,
        answer_altered(2, lambda kept: None),
        "1 of 4 answers are missing, such as 2.",
    ),
    "an answer twice": (
        HONEST,
        answer_altered(2, lambda kept: kept | {"number": 1}),
        "holds an answer 1, and there is another one already",
    ),
    "an answer of another check": (
        HONEST,
        answer_altered(2, lambda kept: kept | {"check": "Another"}),
        "holds an answer that another check was given: Another",
    ),
    "no entry was new": (
        HONEST,
        answer_altered(4, of_log(before=1)),
        "is recorded as so; by answer 4 in",
    ),
    "an entry of somebody else": (
        HONEST,
        answer_altered(4, of_log(client="198.18.1.99")),
        "the log is said to tell of 1, and 0 of them are kept",
    ),
    "16 what was answered was blocked": (
        OPEN,
        altered("evidence", holding(2)),
        "TCP to 198.18.2.10 port 5301: answered.",
    ),
    "16 and nobody was seen": (
        OPEN,
        also(altered("evidence", holding(2)), answer_altered(2, silent)),
        "port 5301 was answered, and nobody was seen",
    ),
    "16 a published port leads to its host": (
        OPEN,
        altered("evidence", holding(3)),
        "is recorded as so; by answer 3 in",
    ),
    "16 an address that nobody answered for": (
        EDGE,
        answer_altered(4, of_log(answered=[])),
        "is recorded as so; by answer 4 in",
    ),
    "16 what passed beside it did not": (
        EDGE,
        answer_altered(3, of_log(cases=[], beside=[])),
        "” is recorded; answer 3 in",
    ),
    "16 a policy that counted nothing": (
        LEAKS,
        altered("evidence", holding(1)),
        "is recorded as so; by answer 1 in",
    ),
    "16 a ban that nobody listed": (
        LEAKS,
        answer_altered(2, of_log(listed=[])),
        "it is not so: The monitor user/banned did not name it.",
    ),
    "16 a ban that was not heeded": (
        LEAKS,
        altered("evidence", holding(3)),
        "it is not so: Datagrams still arrived 3.0 s after",
    ),
    "16 a leak": (
        LEAKS,
        altered("evidence", holding(4)),
        "it is not so: Of 8,192 packets these arrived",
    ),
    "16 a leak, whose number was forgotten": (
        LEAKS,
        also(altered("evidence", holding(4)), answer_altered(4, of_log(leaks=0))),
        "0 packets got through, and told of them is “Of 8,192",
    ),
    "no answer": (
        HONEST,
        answer_altered(2, lambda kept: {"number": 2}),
        "line 2: this is no answer that Gatepass keeps",
    ),
}
"""Of which gateway, what is done, and how it is named although all else is made anew."""


@pytest.mark.parametrize("name", FORGERIES)
def test_it_is_named(sealed: Path, made_here: None, name: str) -> None:
    gateway, forge, sentence = FORGERIES[name]
    with_answers(sealed, GATEWAYS[gateway]())
    forge(sealed)
    remade(sealed)
    named = found(sealed).wrong
    assert [one for one in named if sentence in one], named


def test_a_gateway_that_stops_nothing_and_passed_all_the_same(
    sealed: Path, made_here: None
) -> None:
    with_answers(sealed, arrived())
    named = "this does not hold: The virus test file is stopped"
    assert [one for one in found(sealed).wrong if named in one]


def test_the_mark_is_the_run_s() -> None:
    assert {value["mark"] for one in answers() if "mark" in (value := one.of_run())} == {MARK}
