from pathlib import Path

import pytest

from quorate.errors import BadSetting
from quorate.model import Question
from quorate.settings.context_files import LARGEST, MOST, ContextFiles, read_context, with_files
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import FILES, SEATS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    (home / "docs").mkdir(parents=True)
    (home / "docs" / "b.md").write_text("second é")
    (home / "docs" / "a.md").write_text("first")
    (home / "blob.bin").write_bytes(b"\0\1")
    (home / "latin.txt").write_bytes(b"caf\xe9 au lait")
    (home / "huge.txt").write_text("x" * (LARGEST + 1))
    (tmp_path / "secret.md").write_text("not yours")
    (home / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    return home


def of(folder: Path, *patterns: str) -> ContextFiles:
    return read_context([(str(folder), pattern) for pattern in patterns])


def test_files_stand_in_the_context_by_name_and_once(folder: Path) -> None:
    found = of(folder, "docs/*.md", "**/*.md")

    assert found.text == "File docs/a.md:\nfirst\n\nFile docs/b.md:\nsecond é"
    assert found.taken == (("docs/a.md", 5), ("docs/b.md", 9))
    assert found.sentence == "2 files as context, 14 bytes: docs/a.md, docs/b.md"


def test_what_is_no_text_or_too_large_is_left_out_and_named(folder: Path) -> None:
    found = of(folder, "*.*")

    assert found.taken == ()
    assert dict(found.left) == {"blob.bin": "no text", "latin.txt": "no text", "huge.txt": "larger than 64 KiB"}
    assert found.sentence.startswith("0 files as context, 0 bytes: none; left out: ")


def test_all_files_together_have_a_limit(folder: Path) -> None:
    for number in range(6):
        (folder / f"{number}.log").write_text("y" * LARGEST)

    found = of(folder, "*.log")

    assert sum(size for _, size in found.taken) == MOST
    assert found.left == (
        ("4.log", "more than 256 KiB or 200 files in all"),
        ("5.log", "more than 256 KiB or 200 files in all"),
    )


@pytest.mark.parametrize("pattern", ["../secret.md", "/etc/passwd", "docs/../../secret.md", ""])
def test_a_pattern_never_leaves_its_folder(folder: Path, pattern: str) -> None:
    with pytest.raises(BadSetting, match="must stay within its folder"):
        of(folder, pattern)


def test_a_link_out_of_the_folder_finds_nothing(folder: Path) -> None:
    with pytest.raises(BadSetting, match=r"nothing in '.*' matches 'docs/link\.md'"):
        of(folder, "docs/link.md")


def test_a_character_cut_in_two_at_the_limit_is_too_large_and_not_unreadable(folder: Path) -> None:
    (folder / "wide.txt").write_text("é" * LARGEST)

    assert dict(of(folder, "wide.txt").left) == {"wide.txt": "larger than 64 KiB"}


PANEL = """
extends: tribunal
model: ollama:small
files: [docs/*.md]
"""


def resolved(folder: Path, user: str = "", *files: str) -> Settings:
    (folder / "panel.yaml").write_text(PANEL)
    (folder / "user.yaml").write_text(user)
    env = {"QUORATE_CONFIG": str(folder / "user.yaml")}
    return resolve({"panel": str(folder / "panel.yaml"), "files": files}, env, folder)


def test_a_panel_file_brings_files_from_its_own_folder(folder: Path) -> None:
    asked, found = with_files(Question(text="Merge?", context="Known."), resolved(folder)[FILES])

    assert asked.context == "Known.\n\nFile docs/a.md:\nfirst\n\nFile docs/b.md:\nsecond é"
    assert len(found.taken) == 2


@pytest.mark.parametrize(
    ("user", "sentence"),
    [
        ("disabled: ['ollama:*']", "'ollama:small' for Utility is disabled by the user file"),
        ("enabled: [openai:*, anthropic:*]", r"not enabled by the user file .*; there are openai:\*, anthropic:\*"),
    ],
)
def test_a_model_the_user_does_not_allow_is_refused(folder: Path, user: str, sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence):
        resolved(folder, user)


def test_a_model_the_user_allows_is_used(folder: Path) -> None:
    models = resolved(folder, "enabled: ['ollama:*']\ndisabled: ['ollama:large']")[SEATS]

    assert set(models.values()) == {"ollama:small"}
