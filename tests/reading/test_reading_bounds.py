"""How far is read: how deep, how much, up to which sign; one more is too much, and one less is not."""

import json
from dataclasses import replace

import pytest

from quorate.model.ask import AnswerTerms
from quorate.reading.finding import SPEC as FINDING
from quorate.reading.text.answer_value import AnswerValue, read_value, strip_quotes
from quorate.reading.text.finding_form import share_of
from quorate.reading.text.objects import DEPTH, STEPS, Object, objects
from quorate.reading.text.page import with_label
from quorate.reading.text.plain_answer import read_answer
from quorate.reading.text.thinking import public_span
from quorate.reading.text.values import LONGEST, prose


def states(text: str) -> list[str]:
    return [found.state for found in objects(text)]


@pytest.mark.parametrize(("opens", "closes", "within"), [('{"a":', "}", 0), ("[", "]", 1)])
def test_objects_and_lists_are_read_so_deep_and_no_deeper(opens: str, closes: str, within: int) -> None:
    def nested(depth: int) -> str:
        inner = opens * (depth - within) + "1" + closes * (depth - within)
        return f'{{"a": {inner}}}' if within else inner

    assert states(nested(DEPTH)) == ["closed"]
    assert states(nested(DEPTH + 1)) == ["overfull"]


@pytest.mark.parametrize("quote", ['"', ""])
def test_so_many_members_are_read_and_no_more(quote: str) -> None:
    def wide(many: int) -> str:
        return "{" + ", ".join(f"{quote}k{at}{quote}: 1" for at in range(many)) + "}"

    assert states(wide(STEPS - 1)) == ["closed"]
    assert states(wide(STEPS)) == ["overfull"]
    assert states(wide(STEPS - 3) + wide(1)) == ["closed", "closed"]
    assert states(wide(STEPS - 2) + wide(1)) == ["closed", "overfull"]


TEXT = '{"a": "x\\"y", "b": [1, {"c": "d\\\\"}], "e": {\'f\': "g", h: i}} so {"j": "k\\" l'


def moved(found: Object, by: int) -> Object:
    def item(one: object) -> object:
        return moved(one, by) if isinstance(one, Object) else one

    items = tuple((name, item(one)) for name, one in found.items)
    inner = tuple(moved(one, by) for one in found.inner)
    return replace(found, start=found.start + by, end=found.end + by, inner=inner, items=items)  # type: ignore[arg-type]


@pytest.mark.parametrize("before", ["ab} ", "a, ", "} ", ", ", '" ', "x" * 100 + '", '])
def test_what_stands_before_an_object_changes_nothing_in_it(before: str) -> None:
    found = list(objects(before + TEXT))

    assert found == [moved(one, len(before)) for one in objects(TEXT)]
    assert found == list(objects(before + TEXT, len(before)))
    assert [one.state for one in found] == ["closed", "open"]


@pytest.mark.parametrize("label", ["", "BALLOT ", "**VOTE:** ", "`FINDING` ", "BALLOT a1b2c3d4e5f6 ", "#JUDGEMENT:\n"])
@pytest.mark.parametrize("fence", ["", "```", "````json", "~~~"])
@pytest.mark.parametrize("before", ["", "x\n", "x" * 200 + "\n"])
def test_a_place_has_its_label_and_its_fence_and_nothing_else(label: str, fence: str, before: str) -> None:
    opened, closed = (f"{fence}\n", f"\n{fence.removesuffix('json')}") if fence else ("", "")
    whole = f"{opened}{label}{{}}{closed}"
    text = f"{before}{whole}\nSo."
    begin = text.index("{}")

    assert with_label(text, begin, begin + 2) == (len(before), len(before) + len(whole))


@pytest.mark.parametrize(
    ("written", "said", "end"),
    [
        ('\\"Kafka\\", x', "Kafka", 7), ('\\"abc', "abc", 5), ('"Kafka", x', "Kafka", 6), ('"Kafka"}', "Kafka", 7),
        ('"Ka"f"ka"', 'Ka"f"ka', 9), ("\u201cKafka\u201d}", "Kafka", 7), ('** "x"', "x", 6), ('"abc', "abc", 4),
        ('"ab"c\nd', "ab", 3), ('"a\\"b"', 'a"b', 6), ('"', "", 1), ("", "", 0), (" ", "", 1), ('""', "", 2),
        ("[1, 2] x", "[1, 2]", 6), ('(a "]" b) c', '(a "]" b)', 9), ('["a]"]', '["a]"]', 6), ("[it's]", "[it's]", 6),
        ("[a", "[a", 2), ("{a}", "{a}", 3), ("Kafka, \nx", "Kafka", 7), ("Kafka}", "Kafka", 5), ("a ;", "a", 3),
        (f"[{'a' * 19_998}]", f"[{'a' * 19_998}]", 20_000), (f"[{'a' * 19_999}]}}", f"[{'a' * 19_999}]", 20_001),
    ],
)  # fmt: skip
def test_a_value_ends_where_its_sign_does(written: str, said: str, end: int) -> None:
    before = '"answer":'

    assert read_value(written, 0, len(written)) == AnswerValue(said, end)
    assert read_value(before + written, len(before), len(before + written)) == AnswerValue(said, end + len(before))


@pytest.mark.parametrize(
    ("written", "said"), [(' "a" b ', "a"), ("'a", "'a"), ('""', ""), ("a", "a"), ("", ""), ("\u2018a\u2019", "a")]
)
def test_the_quotes_around_a_text_are_taken_off(written: str, said: str) -> None:
    assert strip_quotes(written) == said


def test_shares_of_more_options_than_there_are_letters_are_read_by_their_names() -> None:
    options = tuple(f"Option {at}" for at in range(27))
    by_name = json.dumps({option: 0.48 if option == "Option 26" else 0.02 for option in options})
    by_letter = json.dumps({**{chr(ord("A") + at): 0.02 for at in range(26)}, "Option 26": 0.48})

    for written in (by_name, by_letter):
        ballot = read_answer(written, options).ballot
        assert ballot is not None
        assert (ballot.choice, len(ballot.shares)) == ("Option 26", 27)


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        ('"outcome": "YES", "confidence": 0.5', ""),
        ('"outcome": "YES", "answer": "YES", "confidence": 0.5', "duplicate"),
        ('"outcome": "YES", "answer": "NO", "confidence": 0.5', "duplicate"),
        ('"outcome": "YES", "confidence": 0.5, "confidence": 0.5', "duplicate"),
        ('"outcome": "YES", "confidence": 0.5, "confidence": 0.6', "duplicate"),
        ('"outcome": "YES"', "no_confidence"),
        ('"confidence": 0.5, "outcome": ["YES"]', "no_option"),
        ('"outcome": "YES", "confidence": "much"', "bad_number"),
        ('"outcome": "<outcome>", "confidence": "much"', "placeholder"),
    ],
)
def test_a_finding_states_its_outcome_and_its_confidence_once(written: str, outcome: str) -> None:
    assert FINDING.read(f"{{{written}}}", AnswerTerms(options=("YES", "NO"))).unreadable == outcome


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("0", (0, False)), ("1", (1, False)), ("100", (1, True)), ("100 %", (1, False)), ("0.5%", (0.005, False)),
        ("2", (0.02, True)), ("100.5", None), ("-1", None), ("\u0663", None), ("so", None), ("", None),
        ("1" + " " * 78 + "%", (0.01, False)), ("1" + " " * 79 + "%", None),
    ],
)  # fmt: skip
def test_a_share_may_be_written_as_a_percentage(written: str, share: tuple[float, bool] | None) -> None:
    found = share_of(written)

    assert (found and (float(found[0]), found[1])) == share


def test_a_text_of_escapes_is_kept_as_long_as_any_other() -> None:
    assert prose("\\u0041" * LONGEST) == "A" * LONGEST
    assert prose("a" * (LONGEST + 1)) == "a" * LONGEST


@pytest.mark.parametrize(
    ("text", "span"),
    [("analysisWe think.assistantfinalYes", (31, 34)), ("analysisWe think.", (17, 17)), ("analysis of it", (0, 14))],
)
def test_thinking_that_is_spelt_out_ends_where_the_answer_begins(text: str, span: tuple[int, int]) -> None:
    assert public_span(text) == span


@pytest.mark.parametrize("sign", ["*", "_", "`", "**", "***"])
@pytest.mark.parametrize("before", ["", "x\n"])
def test_what_sets_an_answer_and_its_label_off_belongs_to_their_place(sign: str, before: str) -> None:
    for label, ends in ((f"{sign}VOTE ", True), ("VOTE ", False), ("#VOTE ", False)):
        text = f"{before}{label}{{}}{sign} so"
        begin, end = text.index("{}"), text.index("{}") + 2

        assert with_label(text, begin, end) == (len(before), end + len(sign) * ends)


@pytest.mark.parametrize("written", ['"a"', "[a]", "{a}", "a"])
def test_a_value_that_would_begin_where_the_next_name_stands_is_empty(written: str) -> None:
    assert read_value(f" {written}", 0, 1) == AnswerValue("", 1)
