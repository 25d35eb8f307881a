import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from quorate import presets
from quorate.errors import BadPanel, BadSetting, NoModel, QuorateError, UnknownName
from quorate.model import Panel, PartRef, Seat
from quorate.model.charter import Charter
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import CONCURRENCY, LEDGER

PANEL = """\
extends: tribunal
protocol: tribunal
rulebook: {name: filed, rules: [], otherwise: hold}
model: openai:panel
settings: {veto: immediate}
budget: {calls: 3, tokens: 3, money: 3, unpriced: true}
deadline: 3s
patience: 3s
"""
USER = """\
protocol: tribunal
rulebook: {name: own, rules: [], otherwise: hold}
model: openai:user
settings: {veto: final}
budget: {calls: 4, tokens: 4, money: 4, unpriced: true}
deadline: 4s
patience: 4s
ledger: user.db
concurrency: 4
"""
FLAGS = {
    "rulebook": "strict",
    "model": "openai:flag",
    "budget": "1 calls, 1 tokens, $1, unpriced=false",
    "deadline": "1s",
    "patience": "1s",
    "ledger": "flag.db",
    "concurrency": "1",
}
ENVIRONMENT = {
    "QUORATE_RULEBOOK": "tribunal",
    "QUORATE_MODEL": "openai:around",
    "QUORATE_BUDGET": "2 calls, 2 tokens, $2, unpriced=false",
    "QUORATE_DEADLINE": "2s",
    "QUORATE_PATIENCE": "2s",
    "QUORATE_LEDGER": "around.db",
    "QUORATE_CONCURRENCY": "2",
}


def value_and_source(found: Settings, key: str) -> tuple[str, str]:
    return next((row.value, row.source) for row in found.rows() if row.key == key)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".config" / "quorate").mkdir(parents=True)
    return tmp_path


def with_user_file(home: Path, text: str = USER) -> Path:
    path = home / ".config" / "quorate" / "config.yaml"
    path.write_text(text)
    return path


def with_panel(home: Path, text: str = PANEL) -> str:
    path = home / "panel.yaml"
    path.write_text(text)
    return str(path)


def said_from(level: int, home: Path) -> Settings:
    """Every source from this one down speaks: flags, environment, panel, user file, nobody."""
    panel = {"panel": with_panel(home)} if level <= 2 else {}
    user = with_user_file(home)
    if level > 3:
        user.unlink()
    flags = {**(FLAGS if level == 0 else {}), **panel}
    return resolve(flags, ENVIRONMENT if level <= 1 else {}, home)


@pytest.mark.parametrize(
    ("key", "word", "values"),
    [
        ("rulebook", "rulebook", ("strict", "tribunal", "filed", "own", "tribunal")),
        ("seat Safety", "model", ("openai:flag", "openai:around", "openai:panel", "openai:user", "none")),
        ("budget.calls", "budget", ("1", "2", "3", "4", "none")),
        ("budget.tokens", "budget", ("1", "2", "3", "4", "none")),
        ("budget.money", "budget", ("$1", "$2", "$3", "$4", "none")),
        ("budget.unpriced", "budget", ("false", "false", "true", "true", "false")),
        ("deadline", "deadline", ("1 s", "2 s", "3 s", "4 s", "none")),
        ("patience", "patience", ("1 s", "2 s", "3 s", "4 s", "120 s")),
        ("ledger", "ledger", ("flag.db", "around.db", None, "{home}/.config/quorate/user.db", "{data}/ledger.db")),
        ("concurrency", "concurrency", ("1", "2", None, "4", "64")),
    ],
)
def test_flag_beats_environment_beats_panel_beats_user_file_beats_default(
    home: Path, key: str, word: str, values: tuple[str | None, ...]
) -> None:
    sources = ("flag --", "environment QUORATE_", "panel file ", "user file ~/.config/quorate/config.yaml", "default")
    words = (word, word.upper(), str(home / "panel.yaml"), "", "")

    for level, value in enumerate(values):
        if value is not None:
            shown = value.format(home=home, data=home / ".local/share/quorate")
            assert value_and_source(said_from(level, home), key) == (shown, sources[level] + words[level])


def test_a_panel_is_named_by_flag_then_environment_then_user_file_and_is_else_the_tribunal(home: Path) -> None:
    user = with_user_file(home, "panel: demo")
    around = {"QUORATE_PANEL": with_panel(home)}

    flagged = resolve({"panel": "tribunal"}, around, home)
    assert value_and_source(flagged, "panel") == ("tribunal", "flag --panel")
    assert value_and_source(resolve({}, around, home), "panel")[1] == "environment QUORATE_PANEL"
    assert value_and_source(resolve({}, {}, home), "panel") == ("demo", "user file ~/.config/quorate/config.yaml")
    user.unlink()
    assert value_and_source(resolve({}, {}, home), "panel") == ("tribunal", "default")


@pytest.mark.parametrize(
    ("flags", "around", "source"),
    [
        ({"protocol": "tribunal"}, {"QUORATE_PROTOCOL": "tribunal"}, "flag --protocol"),
        ({}, {"QUORATE_PROTOCOL": "tribunal"}, "environment QUORATE_PROTOCOL"),
        ({"panel": "demo"}, {}, "panel demo"),
    ],
)
def test_a_protocol_is_named_by_flag_then_environment_then_panel(
    home: Path, flags: dict[str, object], around: dict[str, str], source: str
) -> None:
    with_user_file(home)

    assert value_and_source(resolve(flags, around, home), "protocol") == ("tribunal", source)


def test_a_panel_file_that_names_no_protocol_leaves_it_to_the_user_file(home: Path) -> None:
    with_user_file(home)
    file = with_panel(home, "seats: [{name: A}]")

    found = resolve({"panel": file}, {}, home)

    assert value_and_source(found, "protocol") == ("tribunal", "user file ~/.config/quorate/config.yaml")


def test_settings_are_merged_key_by_key(home: Path) -> None:
    with_user_file(home, "settings: {veto: final, high_risk: 0.9, final_vote: asked}")
    flags = {"panel": with_panel(home), "settings": ("high_risk=0.7",)}

    found = resolve(flags, {}, home)

    assert dict(found.draft.settings) == {"veto": "immediate", "high_risk": "0.7", "final_vote": "asked"}
    assert value_and_source(found, "set high_risk") == ("0.7", "flag --set")
    assert value_and_source(found, "set veto")[1].startswith("panel file")


def test_a_seat_gets_its_model_from_the_nearest_source(home: Path) -> None:
    with_user_file(home)
    file = with_panel(home, "extends: tribunal\nseats: [{name: Utility, model: 'ollama:seat'}]")

    own = resolve({"panel": file}, {}, home).charter
    flagged = resolve({"panel": file, "seats": ("safety=openai:a=b",), "model": "openai:all"}, {}, home).charter

    assert dict(own.models) == {"Utility": "ollama:seat", "Accuracy": "openai:user", "Safety": "openai:user"}
    assert dict(flagged.models) == {"Utility": "openai:all", "Accuracy": "openai:all", "Safety": "openai:a=b"}


def test_the_demo_asks_nobody_because_a_model_is_in_the_environment(home: Path) -> None:
    with_user_file(home)

    charter = resolve({"panel": "demo"}, {"QUORATE_MODEL": "openai:dear"}, home).charter

    assert {model for _, model in charter.models} == {"demo:scripted"}


def test_scripted_speeches_on_any_panel_make_it_a_demo(home: Path) -> None:
    assert resolve({"model": "demo:scripted"}, {}, home).charter.panel.demo
    assert resolve({"panel": "demo", "model": "ollama:real"}, {}, home).charter.panel.demo


def test_with_no_model_one_message_says_every_way_to_give_one(home: Path) -> None:
    with pytest.raises(NoModel) as caught:
        _ = resolve({}, {}, home).charter

    for way in (
        "Utility, Accuracy, Safety",
        "export OPENAI_API_KEY=…",
        "set model to 'openai:NAME'",
        "set model to 'ollama:NAME'",
        "set model to 'openai:NAME@http://127.0.0.1:9000/v1'",
        "set panel to 'demo'",
    ):
        assert way in str(caught.value)


def test_with_a_key_but_no_model_it_says_that_only_the_name_is_missing(home: Path) -> None:
    with pytest.raises(NoModel, match="OPENAI_API_KEY is set, only the model's name is missing") as caught:
        _ = resolve({}, {"OPENAI_API_KEY": "sk-canary"}, home).charter

    assert "canary" not in str(caught.value)


def test_of_keys_only_the_names_of_set_variables_are_shown(home: Path) -> None:
    found = resolve({}, {"OPENAI_API_KEY": "sk-canary", "GROQ_API_KEY": ""}, home)

    assert value_and_source(found, "keys") == ("OPENAI_API_KEY", "environment")
    assert "canary" not in str(found)


def test_without_models_there_is_still_enough_to_decide_and_to_show(home: Path) -> None:
    assert resolve({}, {}, home).draft.panel == presets.panels()["tribunal"].panel


def test_a_setting_with_a_dot_changes_that_rule_wherever_it_stands(home: Path) -> None:
    changes = ("supermajority.at_least=0.67", "hold.means=REFUSE", "sealed_vote.mode=report")
    found = resolve({"settings": changes}, {}, home)
    book = found.draft.rulebook

    assert book is not None
    assert PartRef("supermajority", (("at_least", "0.67"),)) in book.rules
    assert book.otherwise == PartRef("hold", (("means", "REFUSE"),))
    assert ("mode", "report") in book.unless[-1].settings
    assert found.draft.settings == ()
    assert found.notes == ("supermajority.at_least: 0.67 is read as 2/3",)
    assert value_and_source(found, "rulebook")[1] == "default, changed by flag --set"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"protocol": "tribunel"}, "no protocol 'tribunel'; there "),
        ({"rulebook": "lax"}, "no rulebook 'lax'; there are "),
        ({"seats": ("Bob=openai:x",)}, "no seat 'Bob'; there are Accuracy, Safety, Utility"),
        ({"settings": ("quorum.at_least=1",)}, "no rule of rulebook 'tribunal' 'quorum'; there are"),
        (
            {"settings": ("supermajority.most=1",)},
            "no setting of rule 'supermajority' 'most'; there is only at_least",
        ),
        ({"model": "acme:x"}, "no provider 'acme'; there are"),
    ],
)
def test_an_unknown_name_is_refused_with_those_there_are(home: Path, flags: dict[str, object], said: str) -> None:
    with pytest.raises(UnknownName, match=said):
        resolve(flags, {}, home)


@pytest.mark.parametrize(
    ("flags", "around", "said"),
    [
        ({"deadline": "soon"}, {}, "--deadline: must be a time such as"),
        ({"budget": "much"}, {}, "--budget: must be a budget such as"),
        ({"concurrency": "0"}, {}, "--concurrency: must be a whole number"),
        ({"seats": ("Safety",)}, {}, "--seat takes NAME=VALUE, for instance --seat Safety=openai:NAME"),
        ({"settings": ("veto=",)}, {}, "--set takes NAME=VALUE"),
        ({"settings": ("supermajority.at_least=most",)}, {}, "rule 'supermajority' takes at_least = share"),
        ({}, {"QUORATE_PATIENCE": "-1"}, "QUORATE_PATIENCE: must be a time such as"),
        ({}, {"QUORATE_MODEL": "gpt"}, "QUORATE_MODEL: 'gpt' names no provider"),
    ],
)
def test_a_value_that_cannot_be_read_names_the_flag_or_variable(
    home: Path, flags: dict[str, object], around: dict[str, str], said: str
) -> None:
    with pytest.raises(BadSetting, match=said):
        resolve(flags, around, home)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "\nmodle: x",
            "~/.config/quorate/config.yaml:2: no field 'modle'; there are act_error, allow_keys, breaker, budget",
        ),
        ("concurrency: many", "~/.config/quorate/config.yaml:1: concurrency: must be a whole number"),
        ("settings: {veto.means: ACT}", "~/.config/quorate/config.yaml:1: settings.veto.means: a rule's setting"),
        ("model: [a]", "~/.config/quorate/config.yaml:1: model[0]: 'a' names no provider"),
    ],
)
def test_a_complaint_about_the_user_file_names_line_and_field(home: Path, text: str, said: str) -> None:
    with_user_file(home, text)

    with pytest.raises(BadPanel) as caught:
        resolve({}, {}, home)
    assert str(caught.value).startswith(said)


def test_a_user_file_may_be_missing_unless_somebody_names_it(home: Path) -> None:
    assert resolve({}, {}, home)[CONCURRENCY] == 64
    with pytest.raises(BadPanel, match=r"no file '~/gone\.yaml', which QUORATE_CONFIG names"):
        resolve({}, {"QUORATE_CONFIG": "~/gone.yaml"}, home)


def test_the_xdg_folders_move_both_files_and_relative_ones_are_ignored(home: Path) -> None:
    (home / "conf" / "quorate").mkdir(parents=True)
    (home / "conf" / "quorate" / "config.yaml").write_text("concurrency: 7\npanel: panels/x.yaml")
    (home / "conf" / "quorate" / "panels").mkdir()
    (home / "conf" / "quorate" / "panels" / "x.yaml").write_text("seats: [{name: A}]")

    moved = resolve({}, {"XDG_CONFIG_HOME": f"{home}/conf", "XDG_DATA_HOME": "/srv"}, home)
    ignored = resolve({}, {"XDG_CONFIG_HOME": "conf", "XDG_DATA_HOME": "srv"}, home)

    assert (moved[CONCURRENCY], moved[LEDGER], moved.panel.seats) == (7, "/srv/quorate/ledger.db", (Seat(name="A"),))
    assert (ignored[CONCURRENCY], ignored[LEDGER]) == (64, f"{home}/.local/share/quorate/ledger.db")


def test_limits_are_merged_one_by_one(home: Path) -> None:
    with_user_file(home)

    limits = resolve({"budget": "$0.25"}, {"QUORATE_BUDGET": "7 calls, $9"}, home).draft.limits

    assert (limits.money, limits.calls, limits.tokens, limits.unpriced) == (Fraction(1, 4), 7, 4, True)


def test_a_charter_may_stand_in_the_place_of_a_panel_file(home: Path) -> None:
    given = Charter(panel=Panel(seats=(Seat(name="A"),)), models=(("a", "ollama:x"),))

    found = resolve({"panel": "demo", "settings": (("veto", "final"),)}, {}, home, charter=given)

    assert found.charter.models == (("A", "ollama:x"),)
    assert found.charter.settings == (("veto", "final"),)


def test_silence_that_counts_as_nothing_anybody_can_choose_is_refused(home: Path) -> None:
    with_user_file(home, "rulebook: {name: x, rules: [], otherwise: hold, silence: REFUSEE}")

    with pytest.raises(BadPanel, match="silence may count as none, ACT, WARN, REFUSE there, not 'REFUSEE'"):
        resolve({}, {}, home)


def test_resolving_presets_loads_no_yaml_and_no_client() -> None:
    code = (
        "import sys, pathlib; from quorate.settings.resolve import resolve; "
        "resolve(dict(panel='demo'), {}, pathlib.Path('/nowhere')); "
        "print(sorted({'yaml', 'aiohttp', 'apsw', 'asyncio', 'click', 'rich'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"panel": "demo", "rulebook": "plurality"}, "does not fit protocol 'tribunal'"),
        ({"panel": "demo", "settings": ("veto.means=REFUSEE",)}, "veto.means may be ACT, WARN, REFUSE"),
    ],
)
def test_a_rulebook_that_does_not_fit_the_protocol_is_refused(
    flags: dict[str, object], says: str, tmp_path: Path
) -> None:
    with pytest.raises(QuorateError, match=says):
        resolve(flags, {}, tmp_path)
