"""An option is one row: whatever may be said of it, wherever it may stand, comes from there."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.command_group import quorate
from quorate.doors.langgraph import Options as GraphOptions
from quorate.doors.mcp.server_tools import tool_argument
from quorate.doors.python import Options as PythonOptions
from quorate.doors.web.schema import read_object
from quorate.errors import UnknownName
from quorate.service.fields import body_class, request_fields, request_from_fields
from quorate.settings import table
from quorate.settings.inventory import option_documents
from quorate.settings.layers import environment_values, user_file_values
from quorate.settings.option import Option, Place
from quorate.settings.panel_file import read_panel
from quorate.settings.program_options import keyword_texts
from quorate.settings.resolve import resolve
from tests.house.tree import source
from tools.options import configuration, keywords
from tools.reference import CONFIGURATION

TEXTS = {
    "panel": "demo",
    "rulebook": "strict",
    "model": "ollama:x",
    "seats": "[{name: Safety, model: 'ollama:x'}]",
    "settings": "{veto: final}",
    "act_error": "2.5%",
    "budget": "3 calls",
    "deadline": "3s",
    "allow_keys": "openai@gateway.example",
    "extends": "tribunal",
    "fallbacks": "ollama:y",
    "demo": "true",
    "keys": "{OPENAI_API_KEY: k}",
    "commands": "{llm: [llm]}",
}
"""What may be written for an option whose default says nothing of it, or that takes more than a number."""

MOOD: Option[int] = Option(
    name="mood",
    places=table.EVERYWHERE,
    about="how cheerful the chair is",
    metavar="NUMBER",
    keyword="int",
    reader="settings.amounts:whole",
    is_listed=True,
    default="3",
)
"""An option that nobody needs."""


def text(option: Option[Any]) -> str:
    return TEXTS.get(option.name) or option.default or "5"


def at(place: Place) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("option", table.options_at(place), ids=lambda option: option.name)


@pytest.fixture(scope="module")
def ask_help() -> str:
    return " ".join(CliRunner().invoke(quorate, ["ask", "--help"]).output.split())


@at("flag")
def test_its_flag_stands_in_the_help(option: Option[Any], ask_help: str) -> None:
    assert f"{option.flag} {option.metavar}".rstrip() in ask_help
    assert option.help.rstrip(".") in ask_help


@at("variable")
def test_its_variable_is_read(option: Option[Any]) -> None:
    (value, *_) = environment_values({option.variable: text(option)}).values()

    assert value.source == f"environment QUORATE_{option.name.upper()}"


@at("user file")
def test_its_field_of_the_user_file_is_read(option: Option[Any], tmp_path: Path) -> None:
    (tmp_path / "user.yaml").write_text(f"{option.name}: {text(option)}")

    (name,) = user_file_values(tmp_path / "user.yaml", "user.yaml", needed=True)

    assert name.partition(".")[0] == option.name


@at("panel file")
def test_its_field_of_a_panel_file_is_read(option: Option[Any], tmp_path: Path) -> None:
    behind = {"model": "ollama:x"} if option is table.FALLBACKS else {}
    written = {"extends": "tribunal", **behind, option.name: text(option)}
    (tmp_path / "panel.yaml").write_text("\n".join(f"{name}: {value}" for name, value in written.items()))

    plain, found = read_panel("tribunal"), read_panel(str(tmp_path / "panel.yaml"))

    assert (found.values, found.panel, found.keys) != (plain.values, plain.panel, plain.keys)


@at("program")
def test_its_keyword_is_taken(option: Option[Any]) -> None:
    assert option.name in PythonOptions.__annotations__
    assert option.name in GraphOptions.__annotations__ or option is table.PROTOCOL  # an argument of its own there
    with pytest.raises(UnknownName, match=f"no option '{option.name}_'"):
        keyword_texts({f"{option.name}_": "x"}, PythonOptions.__annotations__)


@pytest.fixture
def one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "TABLE", (*table.TABLE, MOOD))


def test_one_more_row_is_a_flag(one_more: None) -> None:
    @click.command(cls=options.SettingsCommand)
    @options.settings
    def command(said: dict[str, Any]) -> int:
        click.echo(f"{resolve(said, {}, Path('/nowhere'))[MOOD]}")
        return 0

    assert re.search(r"--mood NUMBER +How cheerful the chair is\.", CliRunner().invoke(command, ["--help"]).output)
    assert CliRunner().invoke(command, ["--mood", "7"]).output == "7\n"
    assert CliRunner().invoke(command, []).output == "3\n"


def test_one_more_row_is_read_from_every_other_place_and_shown(one_more: None, tmp_path: Path) -> None:
    panel, user = tmp_path / "panel.yaml", tmp_path / "user.yaml"
    panel.write_text("extends: demo\nmood: 6")
    user.write_text("mood: 5")
    env = {"QUORATE_CONFIG": str(user)}
    program = keyword_texts({"mood": 8}, ())

    def shown(said: dict[str, Any], env: dict[str, str]) -> tuple[str, str]:
        return next((row.value, row.source) for row in resolve(said, env, tmp_path).rows() if row.key == "mood")

    assert shown({}, {}) == ("3", "default")
    assert shown({}, env) == ("5", f"user file ~/{user.name}")
    assert shown({"panel": str(panel)}, env) == ("6", f"panel file {panel}")
    assert shown({"panel": str(panel)}, {**env, "QUORATE_MOOD": "7"}) == ("7", "environment QUORATE_MOOD")
    assert shown(program, {**env, "QUORATE_MOOD": "7"}) == ("8", "flag --mood")


def test_one_more_row_is_a_field_over_http_and_mcp_and_on_the_form(one_more: None) -> None:
    for place in ("http", "mcp"):
        fields = {one.name: one for one in request_fields(place)}
        body = read_object(body_class("Body", tuple(fields.values())), {"question": "Ship it?", "mood": 8})
        request = request_from_fields(vars(body), place)

        assert fields["mood"].about == "How cheerful the chair is."
        assert resolve(dict(request.options), {}, Path("/nowhere"))[MOOD] == 8
    assert next(one for one in option_documents() if one["name"] == "mood")["where"] == list(MOOD.places)


def test_one_more_row_is_an_argument_of_an_mcp_tool(one_more: None) -> None:
    kind, default = tool_argument(next(one for one in request_fields("mcp") if one.name == "mood"))

    assert default is None
    assert TypeAdapter(kind).json_schema()["description"] == "How cheerful the chair is."


def test_one_more_row_is_written_about(one_more: None) -> None:
    page = configuration(CONFIGURATION.read_text(encoding="utf-8"))

    assert "\n| `mood` | `--mood` | `QUORATE_MOOD` | `mood` | `mood` | `mood` | `mood` | `mood` | `3` |\n" in page
    assert "\n| `mood` | how cheerful the chair is |\n" in page
    assert "\n    mood: int\n" in keywords()


def test_help_is_shown_without_any_reader() -> None:
    code = (
        "import sys; from quorate.doors.cli.command_group import run; run(['ask', '--help']); "
        "print(sorted(name for name in sys.modules if name.startswith('quorate.settings.')))"
    )

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout

    assert said.splitlines()[-1] == "['quorate.settings.option', 'quorate.settings.table']"


def test_every_reader_and_writer_that_is_named_is_there() -> None:
    for option in table.TABLE:
        if option.default is not None:
            assert option.write(option.read(option.default))
        for reference in filter(None, (option.reader, option.field_reader, option.writer, option.words)):
            module, _, name = reference.partition(":")
            assert hasattr(__import__(f"quorate.{module}", fromlist=[name]), name), option.name


def test_no_flag_or_variable_of_an_option_is_spelled_elsewhere() -> None:
    spelled = {name for option in table.TABLE for name in (option.flag, option.variable)}

    assert [(place, word) for place, word in named_outside_the_table() if word in spelled] == []


@pytest.mark.parametrize("name", ["patience", "deadline"])
def test_the_name_of_an_option_that_stands_everywhere_stands_in_the_table_alone(name: str) -> None:
    assert [place for place, word in named_outside_the_table() if word == name] == []


def named_outside_the_table() -> Iterator[tuple[str, str]]:
    """Every text and every declared field of the rooms that read options, each behind its place."""
    for file in source():
        room = file.path.removeprefix("src/quorate/").partition("/")[0]
        if room not in {"settings", "doors"} or file.path.endswith(("settings/table.py", "settings/keywords.py")):
            continue
        for node in file.nodes:
            match node:
                case ast.Constant(value=str(word)) | ast.AnnAssign(target=ast.Name(id=word)):
                    yield f"{file.path}:{node.lineno}", word
                case _:
                    pass
