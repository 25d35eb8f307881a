import tempfile
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import presets
from quorate.errors import BadPanel, QuorateError
from quorate.model import Panel, PartRef
from quorate.model.charter import Charter
from quorate.settings.consent import admit_settings
from quorate.settings.panel_file import load_charter, read_panel
from quorate.settings.panel_file_writer import dump
from quorate.settings.resolve import resolve
from quorate.settings.table import SEATS

LISTED = ", ".join(sorted(presets.panels()))

FULL = """\
protocol: tribunal
model: ollama:small
seats:
  - name: Cost
    role: You ask what it costs.
    weight: 1/3
    sure: 0.67
  - name: Harm
    powers: [vote, veto]
    stance: against
    weight: 0.1
    model: openai:big@http://127.0.0.1:9000/v1
  - name: Scribe
    powers: []
rulebook:
  name: ours
  rules:
    - veto
    - supermajority: {at_least: 3/4}
  otherwise: {hold: {means: REFUSE}}
  unless: [demo]
  silence: REFUSE
settings: {veto: immediate, high_risk: 0.8}
budget: {calls: 20, tokens: 50k, money: 0.10, unpriced: yes}
deadline: 2m
patience: 30s
"""

BOMB = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n".encode() for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


def loaded(text: str | bytes) -> Charter:
    with tempfile.TemporaryDirectory(prefix="quorate-test-") as folder:
        path = Path(folder, "panel.yaml")
        path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"))
        return load_charter(str(path))


def refused(text: str | bytes) -> str:
    """What is said against it, without the folder it was in."""
    with pytest.raises(BadPanel) as caught:
        loaded(text)
    said = str(caught.value)
    return said[said.index("panel.yaml") :] if "panel.yaml" in said else said


def test_every_field_arrives() -> None:
    charter = loaded(FULL)

    cost, harm, scribe = charter.panel.seats
    assert (cost.role, harm.powers, harm.stance, scribe.powers) == (
        "You ask what it costs.",
        ("vote", "veto"),
        "against",
        (),
    )
    assert charter.models == (
        ("Cost", "ollama:small"),
        ("Harm", "openai:big@http://127.0.0.1:9000/v1"),
        ("Scribe", "ollama:small"),
    )
    assert charter.settings == (("veto", "immediate"), ("high_risk", "0.8"))
    assert charter.rulebook is not None
    assert charter.rulebook.rules == (PartRef("veto"), PartRef("supermajority", (("at_least", "3/4"),)))
    assert charter.rulebook.otherwise == PartRef("hold", (("means", "REFUSE"),))
    assert (charter.limits.calls, charter.limits.tokens, charter.limits.unpriced) == (20, 50_000, True)
    assert (charter.limits.deadline, charter.limits.patience) == (Fraction(120), Fraction(30))


def test_numbers_stay_exact() -> None:
    charter = loaded(FULL)

    assert [seat.weight for seat in charter.panel] == [Fraction(1, 3), Fraction(1, 10), Fraction(1)]
    assert charter.panel.seat("Cost").sure == Fraction(2, 3)
    assert charter.limits.money == Fraction(1, 10)


def test_a_preset_is_loaded_by_its_name() -> None:
    assert load_charter("demo") == presets.panels()["demo"]


@pytest.mark.parametrize("where", ["tribunel", "", "no/such/file.yaml", "a\0b", "x" * 200])
def test_an_unknown_name_lists_the_presets_and_says_that_a_path_will_do(where: str) -> None:
    with pytest.raises(BadPanel, match=f"there are {LISTED}, or give the path of a panel file"):
        load_charter(where)


@pytest.mark.parametrize("where", [".", "/", "x" * 5000])
def test_a_folder_or_an_impossible_path_is_refused_with_the_reason(where: str) -> None:
    with pytest.raises(BadPanel, match="cannot be read"):
        load_charter(where)


def test_a_file_may_take_a_preset_and_change_only_what_it_names() -> None:
    charter = loaded("extends: tribunal\nmodel: ollama:a\nseats:\n  - {name: safety agent, model: openai:b}\n")

    assert charter.panel == presets.panels()["tribunal"].panel
    assert dict(charter.models) == {"Utility": "ollama:a", "Accuracy": "ollama:a", "Safety": "openai:b"}


def test_a_rule_of_a_shipped_rulebook_is_changed_by_a_setting_with_a_dot() -> None:
    charter = loaded("extends: tribunal\nrulebook: tribunal\nsettings: {supermajority.at_least: 3/4}\n")

    assert charter.rulebook is not None
    assert PartRef("supermajority", (("at_least", "3/4"),)) in charter.rulebook.rules
    assert charter.settings == ()


def test_whoever_may_veto_may_vote() -> None:
    assert loaded("seats: [{name: Harm, powers: veto}]").panel.seats[0].powers == ("vote", "veto")


@pytest.mark.parametrize("model", ["extends: demo\ndemo: false", "seats: [{name: A, model: 'demo:scripted'}]"])
def test_a_panel_that_rests_on_scripted_speeches_is_a_demo_whatever_it_says(model: str) -> None:
    assert loaded(model).panel.demo


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "seats:\n  - name: A\n  - name: B\n    powers: vetoo",
            "panel.yaml:4: seats[1].powers: must be 'vote' or 'veto', not 'vetoo'",
        ),
        (
            "seats:\n  - name: A\n    powers:\n      - vote\n      - vetoo",
            "panel.yaml:5: seats[0].powers: must be 'vote' or 'veto', not 'vetoo'",
        ),
        (
            "seats:\n  - name: A\n    stance: pro",
            "panel.yaml:3: seats[0].stance: must be 'for', 'against' or 'neutral', not 'pro'",
        ),
        (
            "seats:\n  - rolle: A",
            "panel.yaml:2: seats[0]: no field 'rolle'; there are fallbacks, model, name, part, powers, role, stance",
        ),
        ("seats:\n  - role: A", "panel.yaml:2: seats[0]: 'name' is missing"),
        ("seats:\n  - name: A\n    weight: -1", "panel.yaml:3: seats[0].weight: must be a number above zero"),
        ("seats:\n  - name: A\n    weight: .nan", "panel.yaml:3: seats[0].weight: must be a number above zero"),
        ("seats:\n  - name: A\n    sure: 1.5", "panel.yaml:3: seats[0].sure: must be a share such as 85 %"),
        ("seats:\n  - name: A\n    model: gpt", "panel.yaml:3: seats[0].model: 'gpt' names no provider"),
        (
            "seats:\n  - name: A\n    model: openai:x@http://[",
            "panel.yaml:3: seats[0].model: the address of a model must look like",
        ),
        ("seats:\n  - name: A\n  - name: a agent", "panel.yaml:3: seats[1]: two seats are named 'a agent'"),
        ("seats:\n  - name: A\n    powers: []", "panel.yaml:2: seats: no seat may vote"),
        ("seats:\n  - name: 'A=B'", "panel.yaml:2: seats[0].name: must be a name of 1 to 64 printable characters"),
        ('seats:\n  - name: "A\\e[2J"', "panel.yaml:2: seats[0].name: must be a name of 1 to 64 printable characters"),
        ("seats: A", "panel.yaml:1: seats: a list"),
        ("- A", "panel.yaml:1: a mapping"),
        ("", "panel.yaml:1: no seats"),
        (
            "\n\nsaets: []",
            "panel.yaml:3: no field 'saets'; there are act_error, breaker, budget, cache, commands, deadline",
        ),
        ("model: a:b\nmodel: c:d", "panel.yaml:2: 'model' is given twice; it is already on line 1"),
        ("extends: tribunel", f"panel.yaml:1: extends: no panel 'tribunel'; there are {LISTED}"),
        (
            "extends: demo\nseats: [{name: Bob}]",
            "panel.yaml:2: seats[0].name: no seat 'Bob'; there are Accuracy, Safety",
        ),
        ("extends: demo\nprotocol: tribunel", "panel.yaml:2: protocol: no protocol 'tribunel'; there "),
        ("extends: demo\nrulebook: lax", "panel.yaml:2: rulebook: no rulebook 'lax'; there are "),
        ("extends: demo\nrulebook:\n  name: x\n  rules: []", "panel.yaml:3: rulebook: 'otherwise' is missing"),
        ("extends: demo\nsettings: {veto.meens: ACT}", "panel.yaml:2: settings: no setting of rule 'veto' 'meens'"),
        ("extends: demo\ndeadline: soon", "panel.yaml:2: deadline: must be a time such as 60s"),
        ("extends: demo\nbudget:\n  calls: many", "panel.yaml:3: budget.calls: must be a whole number above zero"),
        ("extends: demo\ndemo: perhaps", "panel.yaml:2: demo: must be true or false, not 'perhaps'"),
        ("seats:\n  - name: [", "panel.yaml:3: not YAML"),
        ("model: !!python/object:os.system x", "panel.yaml:1: the tag 'tag:yaml.org,2002:python/object:os.system'"),
        ("model: a\n---\nmodel: b", "panel.yaml:2: a second document begins"),
        ("model: *gone", "panel.yaml:1: nothing complete above is marked &gone"),
        ("model: &a [*a]", "panel.yaml:1: nothing complete above is marked &a"),
        ("{a: 1}: b", "panel.yaml:1: the name of a field must be a word"),
        (b"model: \xff", "panel.yaml:1: not UTF-8 text"),
        ("x: 1\nmodel: \x1b[2J", "panel.yaml:2: holds the control character '\\x1b'"),
    ],
)
def test_a_complaint_names_file_line_and_field(text: str | bytes, said: str) -> None:
    assert refused(text).startswith(said)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("rules: [vito], otherwise: hold", "rulebook.rules[0]: no rule 'vito'; there are"),
        ("rules: [demo], otherwise: hold", "rulebook.rules[0]: 'demo' does not belong here but under 'unless'"),
        ("rules: [], otherwise: hold, unless: [veto]", "rulebook.unless[0]: 'veto' does not belong here but under"),
        ("rules: [], otherwise: veto", "rulebook.otherwise: 'veto' may stay silent"),
        ("rules: [{supermajority: {at_least: most}}], otherwise: hold", "rulebook.rules[0].supermajority: rule"),
        ("rules: [{supermajority: {atleast: 1}}], otherwise: hold", "rulebook.rules[0].supermajority: no setting"),
        ("rules: [{veto: {}, tie: {}}], otherwise: hold", "rulebook.rules[0]: one rule"),
    ],
)
def test_a_rulebook_that_could_not_decide_is_refused_before_anybody_is_asked(rules: str, said: str) -> None:
    assert refused(f"extends: tribunal\nrulebook: {{name: x, {rules}}}").startswith(f"panel.yaml:2: {said}")


def test_silence_counts_as_something_the_protocol_knows() -> None:
    said = refused("extends: tribunal\nrulebook: {name: x, rules: [], otherwise: hold, silence: REFUSEE}")

    assert "silence may count as none, ACT, WARN, REFUSE there, not 'REFUSEE'" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "more than 10000 values once its aliases are written out"),
        (b"- &a x\n" + b"- *a\n" * 51, "more than 50 aliases"),
        (b"x: 1\n" * 210_000, "larger than 256 KiB"),
        (b"[" * 200_000, "nested deeper than 20 levels"),
        (b"- " * 100_000, "nested deeper than 20 levels"),
        (b"- x\n" * 60_000, "more than 10000 values"),
        (b"? " * 100_000, "nested deeper than 20 levels"),
        (b'"' + b"x" * 200_000, "not YAML"),
        (b"%YAML " + b"9" * 9_000 + b"\n---\nx", "not YAML"),
    ],
    ids=["bomb", "aliases", "large", "brackets", "dashes", "values", "keys", "quote", "version"],
)
def test_a_hostile_file_is_refused_quickly(text: bytes, said: str) -> None:
    began = time.process_time()

    assert said in refused(text)
    assert time.process_time() - began < 2


def test_the_bomb_is_small_and_would_be_large() -> None:
    assert len(BOMB) < 400
    assert 9**9 > 300_000_000


def test_a_few_aliases_are_welcome_but_not_when_they_multiply() -> None:
    doubling = "".join(f"  - &n{at + 1} [*n{at}, *n{at}]\n" for at in range(20))

    assert (
        loaded("seats:\n  - {name: A, role: &r Be brief.}\n  - {name: B, role: *r}\n").panel.seat("B").role
        == "Be brief."
    )
    assert "more than 10000 values" in refused(f"seats:\n  - &n0 x\n{doubling}")


@pytest.mark.parametrize("name", ["demo", "tribunal"])
def test_a_preset_written_to_a_file_reads_back_the_same(name: str) -> None:
    assert loaded(dump(presets.panels()[name])) == presets.panels()[name]


@given(st.text(st.characters(codec="utf-8")), st.fractions(min_value=0, max_value=1, max_denominator=10**6))
def test_any_words_and_shares_written_to_a_file_read_back_the_same(words: str, sure: Fraction) -> None:
    full = loaded(FULL)
    seat = replace(full.panel.seats[0], role=words, sure=sure, weight=sure + 1)
    charter = replace(full, panel=Panel(seats=(seat, *full.panel.seats[1:])), settings=(("veto", words),))

    assert loaded(dump(charter)) == charter


FRAGMENTS = st.sampled_from(
    [
        *FULL.splitlines(keepends=True),
        "extends: tribunal\n",
        "  ",
        "- ",
        ": ",
        "&a ",
        "*a ",
        "{",
        "}",
        "[",
        "]",
        "!!x ",
        "'",
    ]
)


@given(st.text() | st.lists(FRAGMENTS | st.text(max_size=5)).map("".join) | st.binary())
def test_any_content_loads_or_is_refused_in_words(text: str | bytes) -> None:
    try:
        loaded(text)
    except QuorateError as no:
        assert str(no).isprintable()  # noqa: PT017  that it is refused is one of two allowed ends


@given(st.text())
def test_any_name_is_a_panel_or_is_refused_in_words(where: str) -> None:
    try:
        load_charter(where)
    except QuorateError as no:
        assert str(no).isprintable()  # noqa: PT017  that it is refused is one of two allowed ends


def test_a_key_in_a_panel_file_is_used_unless_the_environment_has_one(tmp_path: Path) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text("extends: tribunal\nmodel: openai:x\nkeys:\n  OPENAI_API_KEY: from-the-file\n")
    read = resolve({"panel": str(file)}, {}, tmp_path)
    found = admit_settings(read, {}, trust=True)

    assert "OPENAI_API_KEY" not in read.environment({}), "nobody has allowed it yet"
    assert found.environment({})["OPENAI_API_KEY"] == "from-the-file"
    assert found.environment({"OPENAI_API_KEY": "mine"})["OPENAI_API_KEY"] == "mine"
    assert "from-the-file" not in repr(found) + repr(found.rows()) + repr(found.charter)


def test_a_key_of_no_provider_is_refused_without_being_shown(tmp_path: Path) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text("extends: tribunal\nkeys:\n  OPENAI_KEY: secret-value\n")

    with pytest.raises(BadPanel, match="OPENAI_API_KEY") as refused:
        load_charter(str(file))
    assert "secret-value" not in str(refused.value)


SEATED = "seats: [{name: A, model: openai:x}]\n"


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("seats: [{name: A, model: [openai:x, ollama:y]}]", "openai:x, ollama:y"),
        ("seats: [{name: A, model: openai:x, fallbacks: [ollama:y]}]", "openai:x, ollama:y"),
        ("seats: [{name: A}]\nmodel: openai:x\nfallbacks: [ollama:y, ollama:z]", "openai:x, ollama:y, ollama:z"),
        ("seats: [{name: A, model: 'openai:x,ollama:y'}]", "openai:x, ollama:y"),
        ("seats: [{name: A, model: auto}]", "auto"),
    ],
)
def test_a_seat_may_have_several_models(tmp_path: Path, written: str, model: str) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text(written, encoding="utf-8")

    assert read_panel(str(file))[SEATS] == {"A": model}


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("seats: [{name: A, fallbacks: [openai:x]}]", "1: seats[0].fallbacks: a fallback needs a model before it"),
        ("seats:\n - {name: A, model: [openai:x, openai:x]}", "2: seats[0].model: 'openai:x' is given twice"),
        ("seats: [{name: A, model: [auto, openai:x]}]", "1: seats[0].model: auto brings its own fallbacks"),
        ("seats: [{name: A, model: [openai:x, nobody:y]}]", "1: seats[0].model[1]: no provider 'nobody'"),
        (
            f"{SEATED}rate: often",
            "2: rate: must be a pace such as '60 requests, 90k tokens' a minute, or off, not 'often'",
        ),
        (f"{SEATED}rate: {{requests: 0}}", "2: rate.requests: must be a whole number above zero"),
        (f"{SEATED}breaker: {{failures: 3, paus: 1s}}", "2: breaker: no field 'paus'; there are failures, pause"),
        (f"{SEATED}breaker: 3", "2: breaker: must be a breaker such as '10 failures, 30s', or off, not '3'"),
    ],
)
def test_a_complaint_about_models_and_care_names_line_and_field(tmp_path: Path, written: str, complaint: str) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text(written, encoding="utf-8")
    with pytest.raises(BadPanel) as raised:
        read_panel(str(file))

    assert f"panel.yaml:{complaint}" in str(raised.value)


@pytest.mark.parametrize("part", [
    *(f"supermajority: {{at_least: {share}}}" for share in ("0", "-1/2", "-0.5", "1.01", "5", "nan", "inf")),
    "too_few: {min_seats: 0}", "quorum: {more_than: 0}", "safe_act: {above: 0 %}", "confidence_weighted: {margin: 1/2}",
])  # fmt: skip
def test_a_rulebook_whose_numbers_are_out_of_range_is_refused(tmp_path: Path, part: str) -> None:
    file = tmp_path / "panel.yaml"
    file.write_text(f"extends: tribunal\nrulebook:\n  name: mine\n  rules: [{{{part}}}]\n  otherwise: hold\n")

    with pytest.raises(BadPanel, match=part.partition(":")[0]):
        load_charter(str(file))


def test_a_cap_that_makes_an_outcome_bolder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "panel.yaml"
    cap = "veto_seat_silent: {instead_of: WARN, means: ACT}"
    file.write_text(
        f"extends: tribunal\nrulebook:\n  name: mine\n  rules: []\n  otherwise: hold\n  unless: [{{{cap}}}]\n"
    )

    with pytest.raises(BadPanel, match="more careful"):
        load_charter(str(file))
