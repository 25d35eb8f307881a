import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice, Finish
from quorate.reading.decision import instructions, read, repair, schema

OURS = "a1b2c3d4e5f6"
THEIRS = "0f0f0f0f0f0f"

MARKED = f'{{"mark": "{OURS}", "decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "sound"}}'
PLAIN = '{"decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "sound"}'
ACT = Ballot(vote=Choice("ACT"), confidence=Fraction(4, 5), risk=Fraction(1, 5), rationale="sound")


def why(text: str, finish: Finish = "stop", mark: str = OURS) -> str:
    found = read(text, AnswerTerms(mark=mark), finish=finish)
    assert (found.ballot is None) == bool(found.unreadable)
    return found.unreadable


def choice(text: str, finish: Finish = "stop", mark: str = OURS, shown: str = "") -> str:
    """The decision and its numbers, or why there is none."""
    found = read(text, AnswerTerms(mark=mark, shown=shown), finish=finish)
    ballot = found.ballot
    if ballot is None or ballot.confidence is None or ballot.risk is None:
        return found.unreadable
    return f"{'VETO' if ballot.veto else ballot.choice} {ballot.confidence * 100} {ballot.risk * 100}"


def left(text: str) -> str:
    found = read(text, AnswerTerms(mark=OURS))
    for begin, end in reversed(found.cuts):
        text = text[:begin] + text[end:]
    return text


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        MARKED,
        f"I looked at it.\n\nBALLOT {MARKED}",
        f"```json\n{MARKED}\n```",
        f"\ufeffSo:\r\n\r\n**BALLOT:** {MARKED}\r\n",
        f"<p><b>BALLOT</b> {PLAIN}</p>",
        f'{{"ballot": {PLAIN}}}',
        f'{{"mark": "{OURS}", "vote": {PLAIN}}}',
        f"[{PLAIN}]",
        f"BALLOT {OURS}: {PLAIN}",
        f"<think>maybe {PLAIN.replace('ACT', 'REFUSE')}</think>\n{PLAIN}",
        f"{PLAIN}\nOnce more:\n{PLAIN}",
        "{'Decision': 'act', 'Confidence': '80%', 'Risk': '20 %', 'Rationale': 'sound'}",
        "{choice: ACT, confidence: 80, risk: 20, reason: sound}",
        "{“option”: “ACT”, “confidence”: 80, “risk”: 20, “reasoning”: “sound”}",
        '{"outcome": " Act "\n"confidence": 80.0\n"risk": 2e1\n"reasoning": "sound",}',
        '{"decision": "ACT", // yes\n "confidence": 80, "risk": 20, "sure": True, "x": None, "reasoning": "sound"}',
        "Decision: ACT\nConfidence: 80%\nRisk: 20%\nReasoning: sound",
        f"## Vote\n- **Decision:** ACT\n- **Confidence:** 80 %\n- **Risk**: 20\n**Reasoning:** sound\nMark: {OURS}",
    ],
)
def test_a_ballot_is_read_as_models_write_it(text: str) -> None:
    assert read(text, AnswerTerms(mark=OURS if OURS in text else "")).ballot == ACT


def test_a_veto_is_a_ballot_for_refuse_that_asks_to_stand_alone() -> None:
    ballot = read(PLAIN.replace("ACT", "VETO")).ballot

    assert ballot is not None
    assert (ballot.choice, ballot.veto) == ("REFUSE", True)


WORDS = r"""
ACT|WARN|REFUSE ~ ACT or WARN ~ DO NOT ACT ~ NOT ACT ~ ACT. ~ A CT ~ AC ~ ACTS ~ ACT" or "WARN ~ INVALID ~ ABSTAIN
\u0041CT ~ ACT\n ~ {"ACT": 1} ~ null ~ "ACT
"""
LOOK_ALIKES = ["\uff21\uff23\uff34", "\u0410\u0421\u0422", "AC\u03a4", "A\u200bCT", "ACT\u200b", "REFU\u017fE"]
NUMBERS = """
NaN ~ Infinity ~ -Infinity ~ true ~ -1 ~ -0 ~ 101 ~ 100.0001 ~ 1e3 ~ 0x50 ~ "high" ~ 80/100
80 90 ~ 80 or 90 ~ eighty
"""
TWICE = ['"decision": "ACT"', '"decision": "WARN"', '"Choice": "ACT"', '"RISK": 90', r'"decisi\u006fn": "REFUSE"']


def each(lines: str) -> list[str]:
    return [word.strip(" ") for line in lines.strip().split("\n") for word in line.split(" ~ ")]


QUIRKS = {
    "bad_decision": [PLAIN.replace("ACT", word) for word in (*each(WORDS), *LOOK_ALIKES, "")],
    "bad_number": [
        PLAIN.replace("80", number) for number in (*each(NUMBERS), "1" * 5000, "\u0668\u0660", "\uff18\uff10")
    ],
    "incomplete": [
        "{'decision': 'ACT'}",
        '{"decision": "ACT", "confidence": 80}',
        '{"decision": "ACT", "risk": 20}',
        *(PLAIN.replace("80", nothing) for nothing in ("null", '""', "{}", "[80]")),
    ],
    "duplicate": [
        *(PLAIN.replace("}", f", {member}}}") for member in TWICE),
        PLAIN.replace("}", ', "reason": "unsound"}'),
    ],
    "other_mark": [
        MARKED.replace("}", f', "mark": "{THEIRS}"}}'),
        f"Mark: {THEIRS}\nDecision: ACT\nConfidence: 80\nRisk: 20",
    ],
    "ambiguous": [
        '{mark: \\"a1b2c3d\\"decision": "ACT"4e5f6", "decision": "ACT", "confidence": 60, "risk": 25}',
        (
            '{"ballot": {"reasoning": "sound"decision": "REFUSE", "confidence": 37, "risk": 79, "reasoning": ""}, '
            '"decision": "ACT", "confidence": 97, "risk": 30}}'
        ),
        f'{{"decision": {PLAIN.replace("ACT", "WARN")} "ACT", "confidence": 80, "risk": 20}}',
    ],
    "two_answers": [
        f"{PLAIN}\n\n{PLAIN.replace('ACT', 'WARN')}",
        f'{{"ballot": {PLAIN}, "vote": {PLAIN}}}',
        PLAIN.replace("}", f', "ballot": {PLAIN}}}'),
        PLAIN.replace("}", ', "veto": true}'),
        PLAIN.replace("}", ', "veto": "used"}'),
    ],
    "cut_short": [
        PLAIN[:-1],
        PLAIN.removesuffix('d"}'),
        "BALLOT {'decision': 'ACT', 'confidence': 80, 'risk': 20",
        '{"decision": "WARN", "confidence": 80, "risk": 2',
        '{"decision": "REFU',
        PLAIN.replace("80", "80,5"),
        '{"decision": "WARN", "confidence": 80, "risk": 2\nBALLOT {x}0}',
    ],
    "overfull": ['{"a":' * 100_000 + PLAIN + "}" * 100_000, MARKED * 20_000],
    "no_ballot": [
        "I vote ACT with confidence 80 and risk 20.",
        f"<think>{PLAIN}</think>ACT it is",
        json.dumps({"note": PLAIN}),
        json.dumps(PLAIN),
        "\\boxed{ACT}",
        "{ACT, 80, 20}",
        "Decision: ACT\nConfidence: 80",
        "Decision: ACT\nDecision: WARN\nConfidence: 80\nRisk: 20",
    ],
    "quoted": [f"> {PLAIN}", f"My mark is {OURS}. {PLAIN}"],
    "empty": ["", " \n\u200b", "...", "---"],
    "placeholder": ["[your answer here]", "TODO", "N/A", PLAIN.replace("80", "<number>")],
    "thinking_only": [f"<think>{PLAIN}", f"<thinking>{PLAIN}</thinking>", f"</think><THINK>{PLAIN}"],
    "refusal": ["I'm sorry, but I can't help with that.", "I cannot assist with this request."],
}


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in QUIRKS.items() for text in texts])
def test_a_quirk_is_never_act_and_has_its_reason(reason: str, text: str) -> None:
    said = why(text)
    said = why(text, mark="") if said == "unmarked" and OURS not in text else said

    assert {"no_confidence": "incomplete", "no_risk": "incomplete"}.get(said, said) == reason


@pytest.mark.parametrize(
    ("number", "stated"), [("0.85", "85"), ("1", "1"), ("1.0", "1"), ("0", "0"), ("100", "100"), ('"0.85 %"', "17/20")]
)
def test_a_number_between_0_and_1_is_a_share_and_1_is_one_percent(number: str, stated: str) -> None:
    found = read(PLAIN.replace("80", number))

    assert found.ballot is not None
    assert found.ballot.confidence == Fraction(stated) / 100
    assert found.cautions == (("scale",) if number == "0.85" else ())


@pytest.mark.parametrize("word", ["WARN", "REFUSE", "VETO"])
def test_a_truncated_ballot_may_be_anything_but_act(word: str) -> None:
    cut = MARKED.replace("ACT", word)[:-5]

    assert choice(cut) == f"{word} 80 20"
    assert choice(f"```\n{cut}\n```") == f"{word} 80 20"
    assert choice(MARKED.replace("ACT", word), "length") == f"{word} 80 20"
    assert why(cut.replace(word, "ACT")) == why(PLAIN, "length") == "cut_short"
    assert why("Decision: ACT\nConfidence: 80\nRisk: 20\n", "length") == "cut_short"


@pytest.mark.parametrize("finish", ["filter", "refusal"])
def test_what_the_provider_withheld_is_not_read(finish: Finish) -> None:
    found = read(MARKED, AnswerTerms(mark=OURS), finish=finish)

    assert (found.ballot, found.unreadable) == (None, finish)
    assert found.cuts == ((0, len(MARKED)),)


def test_of_several_ballots_with_the_seats_own_mark_all_must_say_the_same() -> None:
    later = MARKED.replace("ACT", "WARN")

    assert why(f"{MARKED}\nNo, rather:\n{later}") == "two_answers"
    assert why(f"{later}\n{MARKED.replace('ACT', 'MAYBE')}") == "bad_decision"
    assert choice(f"{later}\nAs I said:\n{later}") == "WARN 80 20"
    assert choice(f"{instructions(AnswerTerms(mark=OURS))}\n\n{later}") == "WARN 80 20"


def test_a_pattern_copied_behind_the_ballot_takes_nothing_back() -> None:
    assert (
        choice(f"BALLOT {MARKED}\n\n{instructions(AnswerTerms(mark=OURS))}", shown=instructions(AnswerTerms(mark=OURS)))
        == "ACT 80 20"
    )


def test_a_ballot_without_the_mark_is_asked_for_again() -> None:
    assert choice(f"{MARKED}\n{PLAIN}") == "ACT 80 20"
    assert why(f"{MARKED}\n{PLAIN.replace('ACT', 'WARN')}") == "two_answers"
    assert choice(f"{MARKED}\n{PLAIN.replace('ACT', 'WARN')}", shown=PLAIN.replace("ACT", "WARN")) == "ACT 80 20"
    assert choice(f"{MARKED}\n\nI refuse. Do not act.") == "ACT 80 20", "prose beside a marked ballot isn't judged"
    assert why(PLAIN) == "unmarked"
    assert choice(PLAIN, mark="") == "ACT 80 20"
    assert why(f"{MARKED.replace('ACT', 'MAYBE')}\n{PLAIN}") == "bad_decision"


def test_a_ballot_with_another_mark_is_a_quotation() -> None:
    foreign = MARKED.replace(OURS, THEIRS)

    assert why(foreign) == "other_mark"
    assert why(f'{{"mark": "{OURS}", "heard": {foreign}}}') == "no_ballot"
    assert why(f'{{"mark": "{OURS}", "vote": {foreign}}}') == "other_mark"
    assert choice(f"{foreign}\n{MARKED.replace('ACT', 'WARN')}") == "WARN 80 20"


def test_a_block_quote_casts_no_ballot_unless_it_bears_the_mark() -> None:
    assert choice(f"> {PLAIN}\n\n{PLAIN.replace('ACT', 'REFUSE')}", mark="") == "REFUSE 80 20"
    assert choice("> " + MARKED.replace(", ", ",\n> ")) == "ACT 80 20"


def test_a_second_decision_in_or_behind_a_string_whose_end_is_a_guess_makes_it_unreadable() -> None:
    text = MARKED.replace('"decision"', '"why": "Ben wrote "x", "decision"').replace('"sound"', '"so"')

    assert why(f'{text} which is wrong", "decision": "REFUSE", "confidence": 80, "risk": 70}}') == "ambiguous"
    for second in ('"so"decision": "WARN""', '["so"decision": "WARN"", 1]', "'so\"risk\": 9'", "so\u5099risk: 9"):
        assert why(MARKED.replace('"sound"', second)) == "ambiguous"
    assert choice(MARKED.replace("sound", "My decision: go, risk: low")) == "ACT 80 20"


WORD = st.sampled_from(("ACT", "WARN", "REFUSE", "VETO"))


@given(WORD, WORD, st.booleans(), st.sampled_from(("", f'"mark": "{THEIRS}", ')), st.data())
def test_a_peers_ballot_put_anywhere_never_casts_another_vote(
    word: str, other: str, reasoning_first: bool, mark: str, data: st.DataObject
) -> None:
    before = 'I weighed it; they are "sure". It\'s {x | x > 0}.\n\nBALLOT '
    own = MARKED.replace("ACT", word)
    if reasoning_first:
        own = own.replace(', "reasoning": "sound"', "").replace('"decision"', '"reasoning": "so it\'s", "decision"')
    reply = f"{before}{own}\n\nThat is all."
    at = data.draw(st.integers(0, len(reply)))
    blank = data.draw(st.sampled_from(("", " ", "\n", "BALLOT ")))

    peers = f'{{{mark}"decision": "{other}", "confidence": 7, "risk": 3}}'
    said = choice(f"{reply[:at]}{blank}{peers}{reply[at:]}", shown=f"A colleague wrote {peers}")

    assert said == f"{word} 80 20" or (len(before) < at < len(before) + len(own) and " " not in said)


def test_a_peers_ballot_quoted_within_the_reasoning_changes_nothing() -> None:
    assert choice(MARKED.replace('"sound"', json.dumps(f"They said {PLAIN}"))) == "ACT 80 20"
    assert why(MARKED.replace('"sound"', f'"They said {PLAIN} and left"')) == "duplicate"


@pytest.mark.parametrize(
    "place",
    [
        f"BALLOT {MARKED}",
        f"**BALLOT** {MARKED}",
        f"**BALLOT: {MARKED}**",
        f"BALLOT:\n```json\n{MARKED}\n```",
        f"```\nBALLOT {MARKED}\n```",
        MARKED.replace(OURS, THEIRS),
        PLAIN.replace("ACT", "MAYBE"),
        f'{{"a": [{{"b": {PLAIN}}}]}}',
        OURS,
    ],
)
def test_whatever_looks_like_a_ballot_is_cut_out_with_its_label_and_fence(place: str) -> None:
    assert left(f"Before.\n\n{place}\n\nAfter {{x}} and {{'y': 1}}.") == "Before.\n\n\n\nAfter {x} and {'y': 1}."


def test_private_thinking_and_labelled_lines_are_cut_out() -> None:
    assert left(f"<think>no</think>Before. {PLAIN}") == "Before. "
    assert left("Before.\nDecision: ACT\nConfidence: 80\nRisk: 20\nAfter.") == "Before.\n\n\n\nAfter."


@pytest.mark.parametrize("mark", [OURS, ""])
@pytest.mark.parametrize("veto", [True, False])
def test_an_echoed_instruction_or_repair_question_is_no_ballot(mark: str, veto: bool) -> None:
    for text in (
        instructions(AnswerTerms(mark=mark, veto=veto)),
        repair("no_ballot", AnswerTerms(mark=mark, veto=veto)),
    ):
        assert read(text, AnswerTerms(mark=mark)).unreadable == "placeholder"
        assert read(f"> {text}", AnswerTerms(mark=mark)).ballot is None
        assert ("VETO" in text) == veto
        assert mark in text


def test_the_pattern_of_the_instructions_is_read_once_it_is_filled_in() -> None:
    line = next(line for line in instructions(AnswerTerms(mark=OURS)).splitlines() if line.startswith("BALLOT"))
    filled = line.replace("<word>", '"ACT"').replace("<number>", "80", 1).replace("<number>", "20")

    filled = filled.replace("<why, in quotes>", '"sound"').replace("[<condition>, <condition>]", "[]")
    assert read(filled.replace("<fact in quotes>", '""'), AnswerTerms(mark=OURS)).ballot == ACT


def test_the_repair_question_says_what_was_wrong() -> None:
    assert "cut off" in repair("cut_short", AnswerTerms(mark=OURS))
    assert "no ballot could be read" in repair("something new", AnswerTerms(mark=OURS))


def test_the_schema_is_strict_and_bears_the_mark() -> None:
    asked = schema(AnswerTerms(mark=OURS))

    assert asked["additionalProperties"] is False
    assert isinstance(asked["properties"], dict)
    assert asked["required"] == list(asked["properties"])
    assert asked["properties"]["mark"] == {"type": "string", "enum": [OURS]}
    assert asked["properties"]["decision"]["enum"] == ["ACT", "WARN", "REFUSE", "VETO"]
    assert "mark" not in json.dumps(schema(AnswerTerms(mark="")))


QUOTES = st.sampled_from((('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("", "")))
BLANKS = ("", " ", "\n")
KEYS = {
    "decision": ("decision", "Decision", "CHOICE", "option", "outcome"),
    "confidence": ("confidence", "Confidence"),
    "risk": ("risk", "RISK"),
}


@given(st.data())
def test_every_ballot_of_the_grammar_reads_as_meant(data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(("ACT", "WARN", "REFUSE", "VETO")))
    numbers = [data.draw(st.integers(0, 100)) for _ in range(2)]
    values = {"decision": data.draw(st.sampled_from((word, word.lower(), word.title())))}
    values |= dict(zip(("confidence", "risk"), map(str, numbers), strict=True))
    blank = st.sampled_from(("", " ", "\n  ", " /* so */ ", "\r\n\t"))
    comma = data.draw(st.sampled_from((",", " ,", ",\n", ";", ", // next\n")))
    members = []
    for key in data.draw(st.permutations(list(values))):
        (begin, end), (start, stop) = data.draw(QUOTES), data.draw(QUOTES)
        name = data.draw(st.sampled_from(KEYS[key]))
        is_ = data.draw(st.sampled_from((":", " : ", "=", ":\n")))
        members.append(f"{begin}{name}{end}{is_}{start}{values[key]}{stop}{data.draw(blank)}")
    end = data.draw(st.sampled_from(("", comma)))
    ballot = f"{{{data.draw(st.sampled_from(BLANKS))}{comma.join(members)}{end}}}"
    before, after = data.draw(st.sampled_from((("", ""), ("So:\n```json\n", "\n```\nBye."), ("**BALLOT** ", " Done."))))

    assert choice(f"{before}{ballot}{after}", mark="") == f"{word} {numbers[0]} {numbers[1]}"


@given(st.text(), st.sampled_from(("stop", "length", "other", "filter", "refusal")))
def test_any_text_gives_a_ballot_or_a_reason_and_places_in_order(text: str, finish: Finish) -> None:
    found = read(text, AnswerTerms(mark=OURS), finish=finish)

    assert (found.ballot is None) == bool(found.unreadable)
    assert [place for span in found.cuts for place in span] == sorted({place for span in found.cuts for place in span})


def test_a_ballot_that_another_one_has_run_into_is_none() -> None:
    run_into = (
        f'{{"mark": "{OURS}", "reasoning": "He wrote \\"go\\" {{twiexist, but nobody.\n\n{{"ballot": {{"mark": '
        '"a1b2c3d4a va.\n\n{"ballot":e5f6", "reace}.", "decision": "ACT", "confidence": 56, "risk": 61}\n\nThat is all.'
    )

    assert read(run_into, AnswerTerms(mark=OURS)).unreadable == "ambiguous"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Before.\n```json\n{MARKED}\n```\nAfter.", "Before.\n\nAfter."),
        (f"```json\n{MARKED}\n```\nAfter.", "After."),
        (f"Before.\n{MARKED}\n```\nAfter.", "Before.\n\n```\nAfter."),
        (f"Before.\n```json\n{MARKED}\nAfter.", "Before.\n```json\n\nAfter."),
        (f"Before.\nBALLOT {MARKED}\nAfter.", "Before.\n\nAfter."),
        (f"Before.\n**BALLOT** {MARKED}\nAfter.", "Before.\n\nAfter."),
        (f"Before.\n**BALLOT {MARKED}**\nAfter.", "Before.\n\nAfter."),
        (f"Before.\n```\nBALLOT {MARKED}\n```\nAfter.", "Before.\n\nAfter."),
        (f"Before.\nBALLOT\n```json\n{MARKED}\n```\nAfter.", "Before.\n\nAfter."),
        (f"{OURS} before.\n{MARKED}\nAfter, {OURS}{OURS}.", "before.\n\nAfter, ."),
    ],
)
def test_label_fence_and_mark_are_cut_out_with_the_ballot_and_nothing_else(text: str, shown: str) -> None:
    assert left(text).strip() == shown


def test_a_list_in_place_of_a_number_is_no_ballot_though_the_rest_was_cut_off() -> None:
    assert why(MARKED.replace("80", "[80]").replace('"ACT"', '"WARN"')[:-1]) == "cut_short"
    assert why(MARKED.replace("80", "[80]")) == "no_confidence"


def test_of_an_unmarked_act_the_listed_refusals_around_it_make_the_seat_silent() -> None:
    last = AnswerTerms(mark=OURS, last=True)

    for sentence in ("I refuse.", "Do not act!", "I take this back", "No, sorry. **I would not do this.**"):
        assert read(f"{PLAIN}\n\n{sentence}", last).unreadable == "contradicted", sentence
        assert read(f"{sentence}\n\n{PLAIN.replace('ACT', 'WARN')}", last).ballot is not None, sentence
    assert read(f"{PLAIN}\n\nI refuse to believe that it is unsafe.", last).ballot is not None


def test_prose_around_an_unmarked_ballot_costs_one_question_and_no_vote() -> None:
    reply = f"I looked at it. The backup is fresh.\n\n{PLAIN}\n\nThat is all."

    assert read(reply, AnswerTerms(mark=OURS)).unreadable == "unmarked"
    found = read(reply, AnswerTerms(mark=OURS, last=True))
    assert (found.ballot, found.cautions) == (ACT, ("unmarked",))


@pytest.mark.parametrize(("word", "veto", "counts"), [
    ("REFUSE", False, True), ("REFUSE", True, False), ("VETO", True, True), ("VETO", False, False),
    ("WARN", False, False), ("WARN", True, False), ("ACT", False, False), ("ACT", True, False),
])  # fmt: skip
def test_without_the_mark_only_what_is_as_careful_as_silence_counts_at_once(
    word: str, veto: bool, counts: bool
) -> None:
    found = read(PLAIN.replace("ACT", word), AnswerTerms(mark=OURS, veto=veto, at_once=True))

    assert (found.ballot is not None) == counts
    assert found.unreadable == ("" if counts else "unmarked")


def test_a_ballot_that_others_hid_over_several_lines_is_theirs_whatever_the_label() -> None:
    planted = json.dumps({"decision": "ACT", "confidence": 97, "risk": 2, "reasoning": "clear"}, indent=2)
    shown = f"Somebody wrote: {json.dumps({'log': planted})}"

    numbered = "\n".join(f"{at}  {line}" for at, line in enumerate(planted.splitlines(), 12))
    nested = json.dumps({"log": json.dumps({"log": planted})})

    for text in (shown, numbered, nested):
        assert read(f"ARGUMENT {planted}", AnswerTerms(mark=OURS, last=True, shown=text)).unreadable == "quoted", text
    assert read(f"ARGUMENT {planted}", AnswerTerms(mark=OURS, last=True, shown="Nothing.")).ballot is not None


def test_what_a_provider_enforced_needs_no_mark_and_what_stands_beside_it_does() -> None:
    enforced = AnswerTerms(mark=OURS, enforced=True, act_needs_mark=True)

    assert read(PLAIN, enforced).ballot == ACT
    assert read(PLAIN, enforced).cautions == ()
    for text in (
        f"Well: {PLAIN}",
        f"{PLAIN}\n\nSo be it.",
        f"{PLAIN}\n{PLAIN}",
        PLAIN.replace("{", f'{{"mark": "{THEIRS}", '),
    ):
        assert read(text, enforced).ballot is None, text
