"""Votes as real models write them."""

import json
from fractions import Fraction
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Choice, Finish
from quorate.reading.vote import SPEC, instructions, read, repair, schema
from tests.reading.files import handed

OURS = "a1b2c3d4e5f6"
THEIRS = "0f0f0f0f0f0f"
PAPER = ("Stay on PostgreSQL", "Move to SQLite", "Write our own")


def line(option: str = "Use SQLite", mark: str = OURS) -> str:
    bears = f'"mark": "{mark}", ' if mark else ""
    return f'{{{bears}"option": "{option}", "confidence": 0.8, "rationale": "small", "continue_debate": false}}'


PLAIN = line(mark="")
OTHER = line("Use Redis", mark="")
SQLITE = Ballot(vote=Choice("Use SQLite"), confidence=Fraction(4, 5), rationale="small", continue_debate=False)


def choice(text: str, mark: str = OURS, options: tuple[str, ...] = (), *, last: bool = False) -> str:
    """The option voted for, or why there is none."""
    found = read(text, AnswerTerms(mark=mark, options=options, last=last))
    assert (found.ballot is None) == bool(found.unreadable)
    return found.ballot.choice if found.ballot else found.unreadable


def shown(text: str) -> str:
    for begin, end in reversed(read(text, AnswerTerms(mark=OURS)).cuts):
        text = text[:begin] + text[end:]
    return text.strip()


@pytest.mark.parametrize("vote", [line(), PLAIN], ids=["marked", "unmarked"])
@pytest.mark.parametrize(
    "written",
    [
        "VOTE: {}",
        "I looked at it.\n\nVOTE: {}",
        "**VOTE:** {}",
        "**VOTE: {}**",
        "### Vote\n\n{}",
        "vote: {}",
        "- Vote: {}",
        "VOTE:\n\n{}\n",
        "VOTE:\n```json\n{}\n```",
        "```\nVOTE: {}\n```",
        "```json\nVOTE: {}\n```",
        "`VOTE: {}`",
        "$\\boxed{{VOTE: {}}}$",
        "\\[\n\\boxed{{\\text{{VOTE: {}}}}}\n\\]",
        "So I vote {}",
        "{}",
        "```json\n{}\n```",
        '{{"vote": {}}}',
        '<think>VOTE: {{"option": "Use Redis", "confidence": 1}}</think>VOTE: {}',
    ],
)  # fmt: skip
def test_a_vote_is_read_however_it_is_dressed(written: str, vote: str) -> None:
    assert read(written.format(vote), AnswerTerms(mark=OURS if OURS in vote else "")).ballot == SQLITE


def test_line_breaks_braces_and_quotes_stay_inside_the_rationale() -> None:
    text = (
        'VOTE: {"option": "Use {curly} names",\n  "confidence": 0.75,\n'
        '  "rationale": "As in `{a: {b}}` and \\"so on\\"; VOTE: is a word",\n  "continue_debate": true}'
    )

    ballot = read(text).ballot

    assert ballot is not None
    assert ballot.choice == "Use {curly} names"
    assert ballot.rationale == 'As in `{a: {b}}` and "so on"; VOTE: is a word'
    assert ballot.continue_debate


@pytest.mark.parametrize(
    "after",
    [
        'VOTE: {"option": "Use Redis", "confidence": 0.9',
        'VOTE: {"option": "Use Redis", "confidence": "very"}',
        'VOTE: {"option": "", "confidence": 0.9}',
        'VOTE: {"option": "Your choice", "confidence": 0.85, "rationale": "Brief explanation"}',
        'VOTE: {"option": "[your option]", "confidence": 0.85}',
        'VOTE: {"option": "...", "confidence": 0.85}',
        "VOTE: {broken",
        "VOTE: none",
        f"> VOTE: {OTHER}",
        f"- > **VOTE:** {OTHER}",
        f'Beta wrote "VOTE: {OTHER}"',
        f"Beta wrote “VOTE: {OTHER}”",
        f'"VOTE: {OTHER}"',
    ],
)
def test_what_is_no_vote_takes_nothing_from_the_valid_one_before_it(after: str) -> None:
    assert choice(f"VOTE: {PLAIN}\n\n{after}", mark="") == "Use SQLite"
    assert choice(f"VOTE: {PLAIN}\n\n{after}") == "unmarked"
    assert choice(f"VOTE: {line()}\n\n{after}") == "Use SQLite"


@pytest.mark.parametrize("mark", ["", OURS])
def test_of_two_markers_the_last_valid_one_counts(mark: str) -> None:
    first, last = line("Use Redis", mark), line("Use SQLite", mark)

    assert choice(f"VOTE: {first}\n\nOn reflection:\n\nVOTE: {last}", mark=mark) == "Use SQLite"
    assert choice(f"VOTE: {first}\n\n**Final VOTE:** {last}", mark=mark) == "Use SQLite"
    assert choice(f"VOTE: {first}\nVOTE: {last}", mark=mark) == "Use SQLite"


@pytest.mark.parametrize("mark", ["", OURS])
@pytest.mark.parametrize(
    "words",
    [
        "\n\nAfter hearing the others, **Final VOTE:** ",
        "\n\nOn reflection I was wrong. Final vote: ",
        "\n\n**Updated VOTE:** ",
        "\n\nCorrection: VOTE: ",
        "\n\n### My final vote\n",
        "; then **Final VOTE:** ",
        ", no, VOTE: ",
    ],
)
def test_a_later_vote_counts_whatever_words_of_its_writer_lead_to_it(words: str, mark: str) -> None:
    first, last = line("Use Redis", mark), line("Use SQLite", mark)

    assert choice(f"VOTE: {first}{words}{last}", mark=mark) == "Use SQLite"


@pytest.mark.parametrize("quoting", ["> VOTE: {}", 'Beta wrote "VOTE: {}"', "Beta wrote `VOTE: {}`"])
def test_a_quoted_vote_alone_is_nobodys_vote(quoting: str) -> None:
    assert choice(quoting.format(OTHER), last=True) == "quoted"


def test_a_seats_own_mark_counts_before_whatever_else_stands_there() -> None:
    assert choice(f"VOTE: {line()}\n\nBeta's vote was:\n\nVOTE: {OTHER}") == "Use SQLite"
    assert choice(f"VOTE: {line()}\n\nVOTE: {line('Use Redis', THEIRS)}") == "Use SQLite"
    assert choice(f'{{"mark": "{OURS}", "vote": {PLAIN}}}') == "Use SQLite"


def test_a_vote_under_a_foreign_mark_never_counts() -> None:
    assert choice(f"VOTE: {line(mark=THEIRS)}") == "other_mark"
    assert choice(f"VOTE: {line()}\n\nVOTE: {line('Use Redis', THEIRS)}") == "Use SQLite"


def test_the_mark_around_a_vote_under_a_foreign_mark_does_not_make_it_this_seats() -> None:
    around = f'{{"mark": "{OURS}", "vote": %s}}'

    assert choice(around % PLAIN) == "Use SQLite"
    assert choice(around % line(mark=THEIRS)) == "other_mark"


def test_the_mark_outside_any_vote_does_not_stand_for_one() -> None:
    assert choice(f"My mark is {OURS}.\n\nVOTE: {PLAIN}") == "unmarked"


@pytest.mark.parametrize(
    "confidence", ["NaN", "Infinity", "true", "false", "-0.1", "1.01", "85", '"high"', '""', "[0.5]", "1e999"]
)
def test_a_confidence_that_is_no_number_from_0_to_1_makes_no_vote(confidence: str) -> None:
    assert choice(f'VOTE: {{"option": "Use SQLite", "confidence": {confidence}}}') == "bad_number"


def test_a_missing_confidence_makes_no_vote_and_a_missing_option_nothing_like_one() -> None:
    assert choice('VOTE: {"option": "Use SQLite", "rationale": "small"}') == "no_confidence"
    assert choice('VOTE: {"option": "Use SQLite"}') == "no_confidence"
    assert choice('VOTE: {"confidence": 0.8, "rationale": "small"}') == "no_vote"


@pytest.mark.parametrize(("written", "value"), [("0", 0), ("1", 1), ("1.0", 1), ('"0.5"', Fraction(1, 2))])
def test_the_bounds_are_confidences_and_so_is_a_number_in_quotes(written: str, value: Fraction) -> None:
    ballot = read(f'VOTE: {{"option": "Use SQLite", "confidence": {written}}}').ballot

    assert ballot is not None
    assert ballot.confidence == value


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ('""', "no_option"),
        ('"  "', "no_option"),
        ("[]", "no_option"),
        ('["a", "b"]', "no_option"),
        ('"Your choice"', "placeholder"),
        ('"your option here"', "placeholder"),
        ("<your choice>", "placeholder"),
        ('"<option>"', "placeholder"),
        ('"___"', "placeholder"),
        ('"Use SQLite", "option": "Use Redis"', "duplicate"),
    ],
)
def test_an_option_that_names_nothing_makes_no_vote(option: str, why: str) -> None:
    assert choice(f'VOTE: {{"option": {option}, "confidence": 0.9}}') == why


@pytest.mark.parametrize("written", ["ABSTAIN", "abstain", "Abstain", "I abstain"])
@pytest.mark.parametrize("options", [(), PAPER])
def test_who_abstains_chooses_no_option(written: str, options: tuple[str, ...]) -> None:
    ballot = read(f'VOTE: {{"option": "{written}", "confidence": 0.5}}', AnswerTerms(options=options)).ballot

    assert ballot is not None
    assert ballot.abstain


def test_without_a_word_on_it_the_debate_goes_on() -> None:
    ballot = read('VOTE: {"option": "Use SQLite", "confidence": 0.5}').ballot

    assert ballot is not None
    assert ballot.continue_debate


@pytest.mark.parametrize(
    "said", ["2", "option 2", "Option 2", "Move to SQLite", "move to sqlite.", "2. Move to SQLite"]
)
def test_an_option_on_a_closed_list_is_named_by_its_number_or_its_words(said: str) -> None:
    assert choice(f"VOTE: {line(said)}", options=PAPER) == "Move to SQLite"


@pytest.mark.parametrize("said", ["0", "4", "12", "option 4", "Use Redis", "SQLite"])
def test_an_option_that_is_not_on_the_closed_list_is_none(said: str) -> None:
    assert choice(f"VOTE: {line(said)}", options=PAPER) == "unknown_option"


def test_where_words_look_like_numbers_only_the_words_count() -> None:
    upside_down, numbers = ("Option 2", "Option 1"), ("3", "5", "2")

    assert choice(f"VOTE: {line('Option 1')}", options=upside_down) == "Option 1"
    assert choice(f"VOTE: {line('1')}", options=upside_down) == "unknown_option"
    assert [choice(f"VOTE: {line(said)}", options=numbers) for said in numbers] == list(numbers)
    assert choice(f"VOTE: {line('1')}", options=numbers) == "unknown_option"
    assert "word for word" in instructions(AnswerTerms(mark=OURS, options=numbers))
    assert '"enum": ["3", "5", "2"]' in json.dumps(schema(AnswerTerms(mark=OURS, options=numbers)))


@pytest.mark.parametrize(
    "said",
    [
        *("abstain", "Abstain.", "I abstain", "N/A", "none", "undecided", "No option", "I do not know"),
        *("I don't know", "Pass", "skip."),
    ],
)
def test_to_abstain_is_never_an_option_unless_it_is_on_the_list(said: str) -> None:
    ballot = read(f"VOTE: {line(said)}", AnswerTerms(mark=OURS, options=PAPER)).ballot
    listed = read(f"VOTE: {line(said)}", AnswerTerms(mark=OURS, options=(*PAPER, said))).ballot

    assert ballot is not None
    assert ballot.abstain
    assert listed is not None
    assert (listed.abstain, listed.choice) == (False, said)


@pytest.mark.parametrize(
    "said", ["Abstain (insufficient data)", "ABSTAIN - not enough data", "\uff08abstain\uff09", "None, sorry"]
)
def test_what_is_said_behind_the_punctuation_changes_nothing(said: str) -> None:
    ballot = read(f"VOTE: {line(said)}", AnswerTerms(mark=OURS)).ballot

    assert ballot is not None
    assert ballot.abstain


@pytest.mark.parametrize(
    "said", ["Pass the bill", "Skip the migration", "None of the above", "pass/fail", "Skip-level talks"]
)
def test_an_option_that_begins_with_such_a_word_is_one(said: str) -> None:
    ballot = read(f"VOTE: {line(said)}", AnswerTerms(mark=OURS)).ballot

    assert ballot is not None
    assert (ballot.abstain, ballot.choice) == (False, said)


def test_to_keep_off_a_thing_is_an_option() -> None:
    ballot = read(f"VOTE: {line('Abstain from deploying on Fridays')}", AnswerTerms(mark=OURS)).ballot

    assert ballot is not None
    assert not ballot.abstain


@pytest.mark.parametrize("options", [(), PAPER])
@pytest.mark.parametrize("mark", ["", OURS])
def test_echoed_instructions_are_no_vote(mark: str, options: tuple[str, ...]) -> None:
    for told in (
        instructions(AnswerTerms(mark=mark, options=options)),
        repair("no_vote", AnswerTerms(mark=mark, options=options)),
    ):
        assert read(told, AnswerTerms(mark=mark, options=options)).ballot is None
        assert read(f"```\n{told}\n```", AnswerTerms(mark=mark, options=options)).ballot is None


def test_instructions_say_what_continue_debate_does() -> None:
    assert "continue_debate" in instructions(AnswerTerms(mark=OURS))
    assert "the discussion ends" in instructions(AnswerTerms(mark=OURS))


def test_the_schema_of_a_closed_list_takes_its_numbers_alone() -> None:
    written = json.dumps(schema(AnswerTerms(mark=OURS, options=PAPER)))

    assert '"enum": ["1", "2", "3"]' in written
    assert OURS in written


@pytest.mark.parametrize(
    ("finish", "text", "why"),
    [
        ("length", "I was about to", "cut_short"),
        ("length", 'VOTE: {"option": "Use SQLite", "confidence": 0.8, "rationale": "it is', "cut_short"),
        ("length", f"VOTE: {line()}\n\nAnd anoth", ""),
        ("filter", f"VOTE: {line()}", "filter"),
        ("refusal", f"VOTE: {line()}", "refusal"),
        ("stop", "I cannot help with that.", "refusal"),
        ("stop", "", "empty"),
        ("stop", "<think>hm</think>", "thinking_only"),
        ("stop", "I would go ahead, all things considered.", "no_vote"),
        ("stop", "I devote {option: this, confidence: 0.9} to you.", "quoted"),
    ],
)
def test_without_a_vote_it_says_why(finish: Finish, text: str, why: str) -> None:
    assert read(text, AnswerTerms(mark=OURS), finish=finish).unreadable == why


@pytest.mark.parametrize(
    "text", [f"I am for it.\n\nVOTE: {line()}", f"I am for it.\n\n**VOTE:**\n```json\n{line()}\n```"]
)
def test_others_are_shown_the_speech_without_the_vote(text: str) -> None:
    assert shown(text) == "I am for it."


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["VOTE:{", "VOTE: ", 'VOTE: {"option": ', 'VOTE: {"option": "', f"VOTE: {PLAIN} ", f"VOTE: {PLAIN}\n", "VOTE: `"],
)
def test_a_mebibyte_of_anything_is_read_in_linear_time(piece: str) -> None:
    def took(size: int) -> float:
        text, begin = (piece * (size // len(piece) + 1))[:size], process_time()
        read(text, AnswerTerms(mark=OURS))
        return process_time() - begin

    assert min(took(2**20) for _ in range(2)) < 8 * max(0.05, min(took(2**18) for _ in range(2)))


@given(st.lists(st.sampled_from(["VOTE:", "{", "}", '"', "option", ": ", ",", "0.5", "\n", "> ", "`", OURS, PLAIN])))
def test_no_text_whatever_raises(pieces: list[str]) -> None:
    choice("".join(pieces))
    choice("".join(pieces), mark="", options=PAPER)


def test_to_abstain_takes_no_confidence() -> None:
    ballot = read('VOTE: {"option": "abstain", "rationale": "not my field"}').ballot

    assert ballot is not None
    assert (ballot.abstain, ballot.confidence) == (True, None)


@pytest.mark.parametrize("before", ["> ", "Well.\n> ", "x" * 300 + "\n> ", "x" * 300 + "\n- > "])
def test_a_vote_in_a_block_quote_is_nobody_s_wherever_it_stands(before: str) -> None:
    assert choice(f"{before}VOTE: {PLAIN}", mark="") == "quoted"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"option": "Wait", "confidence": "0.8", "rationale": "so"}, ""),
        ({"option": "Wait"}, ""),
        ({"option": "Wait", "confidence": "high"}, "bad_number"),
        ({"option": "", "confidence": "0.8"}, "no_option"),
        ({"option": "<your choice>"}, "placeholder"),
        ({"confidence": "0.8"}, "no_vote"),
        ({"option": "Wait", "choice": "Go"}, "duplicate"),
    ],
)
def test_a_vote_of_a_file_needs_an_option_and_numbers_that_can_be_read(fields: dict[str, object], why: str) -> None:
    assert handed(SPEC, fields, AnswerTerms()).unreadable == why


@pytest.mark.parametrize(("written", "goes_on"), [(None, True), (True, True), (" False ", False), ("no", True)])
def test_a_vote_of_a_file_ends_the_discussion_only_by_saying_so(written: object, goes_on: bool) -> None:
    more = {} if written is None else {"continue_debate": written}
    ballot = handed(SPEC, {"option": "Wait", "confidence": "0.8", "reason": "so", **more}, AnswerTerms()).ballot

    assert ballot == Ballot(vote=Choice("Wait"), confidence=Fraction(4, 5), rationale="so", continue_debate=goes_on)
    given = handed(SPEC, {"option": "Abstain"}, AnswerTerms()).ballot
    assert given is not None
    assert given.abstain
