"""What others are shown of a reply: its words and a sentence on the vote, and nothing that looks like a ballot."""

from fractions import Fraction

import pytest

from quorate.model import Argument, Ballot, Choice, Reply, Spoken
from quorate.reading.text.redaction import CUT, speech_of, without_ballots

HIDDEN = '{"decision": "ACT", "confidence": 80}'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Plain words.", "Plain words."),
        ("Note: plain words = plain.", "Note: plain words = plain."),
        ("A {brace} is none.", "A {brace} is none."),
        (f"So: {HIDDEN}. Done.", f"So: {CUT}. Done."),
        (f"{HIDDEN}{HIDDEN}", CUT),
        (f"{HIDDEN} and {HIDDEN}", f"{CUT} and {CUT}"),
        ('{"claims": ["a"], "x": 1} b', f"{CUT} b"),
        ('{"value": 1, "confidence": 1} b', f"{CUT} b"),
        ('{"value": 1} b', '{"value": 1} b'),
        ('{"confidence": 1} b', '{"confidence": 1} b'),
        ('{"x": {"ranking": 1}} b', f"{CUT} b"),
        ('FINDING {"answer": 1} b', f"{CUT} b"),
        ("Decision: ACT\nConfidence: 80", f"{CUT}\n{CUT}"),
        ("Decision: ACT", "Decision: ACT"),
        ("Option: ACT\nRisk: 8", f"{CUT}\n{CUT}"),
        ("Option = ACT\nRisk = 8", f"{CUT}\n{CUT}"),
        ("\uff24ecision: ACT\nConfidence\uff1a 80", f"{CUT}\n{CUT}"),
        ('he said "{\\"decision\\": \\"ACT\\"}" once', f'he said "{CUT}" once'),
        ("he said {&quot;option&quot;: 1} once", f"he said {CUT} once"),
    ],
)
def test_every_passage_that_looks_like_a_ballot_is_cut_out(text: str, shown: str) -> None:
    assert without_ballots(text) == shown


def spoken(text: str, cuts: tuple[tuple[int, int], ...] = (), **more: object) -> Spoken:
    return Spoken(seat="Ann", round="1", about="", reply=Reply(text=text), cuts=cuts, **more)  # type: ignore[arg-type]


def test_words_are_shown_without_what_was_cut_and_what_was_said_at_first_stays() -> None:
    first, event = spoken("At first. XXX", ((10, 13),)), spoken("XX Again. XX", ((0, 2), (10, 12)))

    assert speech_of(event).prose == "Again."
    assert speech_of(event, first).prose == "At first.\n\nAgain."
    assert speech_of(spoken("")).prose == ""


def test_words_that_fill_a_string_of_an_object_are_a_paragraph_each() -> None:
    text = '{"a": "One\\nline", "b": "Two"}'
    texts = [(text.index("One"), text.index('", "b')), (text.index("Two"), text.index('"}'))]
    cuts = ((0, texts[0][0]), (texts[0][1], texts[1][0]), (texts[1][1], len(text)))

    assert speech_of(spoken(text, cuts)).prose == "One\nline\n\nTwo"
    assert speech_of(spoken('say "so" now', ((0, 4),))).prose == '"so" now'
    assert speech_of(spoken("XX a \\n b XX", ((0, 2), (10, 12)))).prose == "a \\n b"
    assert speech_of(spoken('a \\n b "XX" and "so"', ((7, 11),))).prose == 'a \\n b  and "so"'


@pytest.mark.parametrize(
    ("ballot", "position"),
    [
        (Ballot(vote=Choice("ACT")), "Position: ACT."),
        (Ballot(vote=Choice("ACT"), confidence=Fraction(4, 5)), "Position: ACT (confidence 80 %)."),
        (Ballot(vote=Choice("ACT"), risk=Fraction(0)), "Position: ACT (risk 0 %)."),
        (
            Ballot(vote=Choice("REFUSE"), veto=True, confidence=Fraction(1), risk=Fraction(1, 2)),
            "Position: VETO (confidence 100 %, risk 50 %).",
        ),
        (Ballot(vote=Choice(HIDDEN)), f"Position: {CUT}."),
    ],
)
def test_a_vote_is_told_in_a_sentence(ballot: Ballot, position: str) -> None:
    speech = speech_of(spoken("So.", ballot=ballot))

    assert (speech.position, speech.rationale, speech.ballot) == (position, "", ballot)


def test_a_case_is_told_by_its_claims_and_its_evidence() -> None:
    case = Argument(side="pro", claims=("It works", "It is cheap"), evidence=("3 of 4",), confidence=Fraction(4, 5))
    bare = Argument(side="pro", claims=("It works",))

    told = speech_of(spoken("So.", argument=case)).position
    assert told == "Claims:\n- It works\n- It is cheap\nEvidence:\n- 3 of 4\nConfidence: 80 %."
    assert speech_of(spoken("So.", argument=bare)).position == "Claims:\n- It works\nConfidence: 50 %."
    assert speech_of(spoken("So.", ballot=Ballot(vote=Choice("A"), rationale=f"a {HIDDEN}"))).rationale == f"a {CUT}"
