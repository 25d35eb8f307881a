from pathlib import Path

import pytest

from quorate.errors import BadPanel
from quorate.settings.consent import admit_settings
from quorate.settings.panel_file import read_panel
from quorate.settings.resolve import resolve

PANEL = """
extends: tribunal
model: cli:mine/small
commands:
  mine: [/bin/mine, --quiet, "two words", "{model}"]
  my-other: [/bin/other]
"""


def test_commands_of_a_panel_file_go_the_way_of_its_keys(tmp_path: Path) -> None:
    (tmp_path / "panel.yaml").write_text(PANEL, encoding="utf-8")
    read = resolve({"panel": str(tmp_path / "panel.yaml")}, {}, tmp_path)
    found = admit_settings(read, {}, trust=True)

    assert "QUORATE_COMMAND_MINE" not in read.environment({}), "nobody has allowed it yet"
    assert found.environment({})["QUORATE_COMMAND_MINE"] == "/bin/mine --quiet 'two words' '{model}'"
    assert found.environment({"QUORATE_COMMAND_MY_OTHER": "x"})["QUORATE_COMMAND_MY_OTHER"] == "x"
    assert "two words" not in repr(found)


@pytest.mark.parametrize(
    ("written", "helps"),
    [
        ("commands: {mine: []}", "a list of the program and its arguments"),
        ("commands: {mine: ls}", "a list; begin each entry with '- '"),
        ("commands: {'A B': [ls]}", "lower-case letters, digits"),
    ],
)
def test_a_command_that_cannot_be_one_is_named_with_its_place(tmp_path: Path, written: str, helps: str) -> None:
    (tmp_path / "panel.yaml").write_text(f"extends: tribunal\n{written}\n", encoding="utf-8")
    with pytest.raises(BadPanel) as raised:
        read_panel(str(tmp_path / "panel.yaml"))

    assert "panel.yaml:2: commands." in str(raised.value)
    assert helps in str(raised.value)
