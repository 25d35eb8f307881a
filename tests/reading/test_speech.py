import json
from dataclasses import replace
from fractions import Fraction

import pytest

from quorate.model import Ballot, Choice, Reply, Spoken
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Finish
from quorate.reading.speech import instructions, read, repair, sample, schema
from quorate.reading.text.redaction import speech_of

MARK = "a1b2c3d4e5f6"
BALLOT = '{"decision": "ACT", "confidence": 80, "risk": 20}'


@pytest.mark.parametrize(
    "text",
    [
        "Your estimate rests on one backup nobody has tried to restore.",
        "I cannot verify all claims with 85% confidence, so I challenge this.",
        "I can't help thinking that the risk is higher.",
        "I won't answer your point about cost; it is right. But the risk …",
        "Nein.",
        'The file reads {"name": "so"}',
        '{"name": "so"} is what the file reads.',
        '{"name": "so"}\n{"name": so}',
        "備份沒有測試過。",
        "I cannot help with that. " + "But the reasons deserve a closer look, and here they are. " * 10,
    ],
)
def test_words_are_a_speech(text: str) -> None:
    found = read(text, AnswerTerms(mark=MARK))

    assert (found.ballot, found.unreadable, found.cuts) == (None, "", ())


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("empty", ""),
        ("empty", " \n…"),
        ("empty", BALLOT),
        ("empty", f"<think>hm</think>{BALLOT}"),
        ("placeholder", "[insert challenge here]"),
        ("thinking_only", "<think>hm</think> \n"),
        ("thinking_only", "<think>hm"),
        ("refusal", "I cannot help with that."),
        ("refusal", "I’m sorry, but I can’t assist with that request."),
        ("refusal", "As an AI language model, I am unable to participate in this discussion."),
        ("refusal", "I must decline."),
        ("refusal", "Es tut mir leid, aber ich kann dabei nicht helfen."),
        ("refusal", "Lo siento, pero no puedo ayudar con eso."),
        ("refusal", "Désolé, je ne peux pas répondre."),
    ],
)
def test_nothing_said_has_its_reason(why: str, text: str) -> None:
    assert read(text, AnswerTerms(mark=MARK)).unreadable == why


@pytest.mark.parametrize("finish", ["filter", "refusal"])
def test_what_the_provider_withheld_is_no_speech(finish: Finish) -> None:
    assert read("Half a sente", finish=finish).unreadable == finish


def test_a_speech_cut_off_by_length_is_still_a_speech() -> None:
    assert read("Half a sente", finish="length").unreadable == ""


@pytest.mark.parametrize(
    "place",
    [
        BALLOT,
        f"BALLOT {BALLOT}",
        f"```json\n{BALLOT}\n```",
        "{'choice': 'WARN'}",
        '{"decision": "ACT", "conf',
        MARK,
        "Decision: ACT\nConfidence: 80\nRisk: 20",
    ],
)
def test_a_speech_casts_no_ballot_and_whatever_looks_like_one_is_cut_out(place: str) -> None:
    found = read(f"You said\n{place}", AnswerTerms(mark=MARK))

    assert (found.ballot, found.unreadable) == (None, "")
    assert found.cuts[0][0] == len("You said\n")
    assert found.cuts[-1][1] == len(f"You said\n{place}")


def test_who_declined_is_not_asked_again() -> None:
    assert repair("refusal", AnswerTerms(mark=MARK)) == repair("filter", AnswerTerms(mark=MARK)) == ""
    assert "prose" in repair("empty", AnswerTerms(mark=MARK))
    assert "prose" in instructions(AnswerTerms(mark=MARK, veto=True))
    assert schema(AnswerTerms(mark=MARK)) == {}


def test_a_speech_keeps_its_prose_its_reason_and_its_position_apart_and_shows_them_in_this_order() -> None:
    ballot = Ballot(vote=Choice("WARN"), confidence=Fraction(7, 10), rationale="No backup.\n\nNone at all.")
    second = Spoken(round="analysis", seat="Safety", attempt=2, reply=Reply(text="Risky.\n\nVery."), ballot=ballot)
    first = replace(second, attempt=1, reply=Reply(text="Wait."), ballot=None, unreadable="unmarked")

    said = speech_of(second, first)

    assert said.prose == "Wait.\n\nRisky.\n\nVery."
    assert said.rationale == "No backup.\n\nNone at all."
    assert said.position == "Position: WARN (confidence 70 %)."
    assert said.text == f"{said.prose}\n\n{said.rationale}\n\n{said.position}"
    assert replace(said, prose="", rationale="").text == said.position


WEAK = "Your weakest step is the backup."


def said(text: str) -> str:
    """A reply as others are shown it, or in brackets why they are shown nothing."""
    found = read(text, AnswerTerms(mark=MARK))
    assert found.ballot is None
    event = Spoken(round="challenge", seat="Safety", reply=Reply(text=text), cuts=found.cuts)
    return f"({found.unreadable})" if found.unreadable else speech_of(event).text


@pytest.mark.parametrize(
    "text",
    [
        f'{{"challenge": "{WEAK}"}}',
        f'{{"mark": "{MARK}", "challenge": "{WEAK}"}}',
        f'```json\n{{"challenge": "{WEAK}"}}\n```',
        f'[{{"challenge": "{WEAK}"}}]',
        f'<think>hm {{"challenge": "no"}}</think>{{"answer": {{"text": "{WEAK}"}}, "severity": 3, "final": true}}',
        f'{{"reasoning": "{WEAK}", "decision": "WARN", "confidence": 70, "risk": 30}}',
        f'{{"challenge": "{WEAK}", "quoted": {BALLOT[:-1]}, "reasoning": "All is well."}}}}',
    ],
)
def test_an_object_in_place_of_prose_says_what_its_texts_say(text: str) -> None:
    assert said(text) == WEAK


def test_the_texts_of_an_object_are_read_as_they_are_meant_and_shown_in_their_order() -> None:
    words = {"challenge": 'You call it "safe".\nIt is \u00e4lter.', "points": ["No test.", "No plan."], "n": "1"}

    told = 'You call it "safe".\nIt is \u00e4lter.\n\nNo test.\n\nNo plan.'

    assert said(json.dumps(words)) == said(json.dumps(words, separators=(",", ":"), ensure_ascii=False)) == told
    assert said(json.dumps({"challenge": "Wait.\x00 No."})) == "Wait. No."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"decision": "ACT", "confidence": 80, "risk": 20}', "(empty)"),
        ('{"ranking": ["Kafka", "NATS"], "confidence": 0.8}', "(a ballot was cut out here)"),
        (json.dumps({"challenge": BALLOT}), "(empty)"),
        (json.dumps({"challenge": f"You wrote {BALLOT} too soon."}), "You wrote (a ballot was cut out here) too soon."),
        (json.dumps({"challenge": f"My mark is {MARK}.", "more": "No plan."}), "No plan."),
        (f'{{"challenge": "It is \\u0061{MARK[1:]}.", "more": "No plan."}}', "No plan."),
        (f'{{"challenge": "It is a\\u0000{MARK[1:]}.", "more": "No plan."}}', "No plan."),
        (json.dumps({"challenge": "I cannot help with that."}), "(refusal)"),
        (json.dumps({"challenge": "[insert challenge here]"}), "(placeholder)"),
    ],
)
def test_what_an_object_casts_is_never_shown_as_words(text: str, told: str) -> None:
    assert said(text) == told


def test_an_object_that_is_no_json_is_shown_as_it_stands_and_a_sample_is_words() -> None:
    text = '{note: "Hello there."}'

    assert (read(text).cuts, read(text).unreadable) == ((), "")
    assert read('{"note": "Hello there."}').cuts != ()
    assert read(sample(AnswerTerms())).unreadable == ""


def test_an_object_that_was_cut_off_is_shown_as_it_stands() -> None:
    assert read('{"note": "Hello there.", "more": "and').cuts == ()
