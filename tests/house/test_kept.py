"""What is committed: no machine's paths, locks with hashes and without addresses."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.house.tree import ROOT, File, kept, sample

MACHINE = re.compile(r"(?<![\w.~*/-])/(?:work|root|home|Users|opt)/|file:///|[A-Z]:\\\\Users")
EXCEPTIONS: dict[str, str] = {
    "tests/house/test_kept.py": "it shows what is reported",
}
"""File → why it may name such a path."""

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def test_nothing_names_a_machine() -> None:
    assert [fault for file in kept() if file.path not in EXCEPTIONS for fault in machine_paths(file)] == []


HERE = "/"
"""Apart, so that this page names no such place itself."""


@pytest.mark.parametrize(
    "text", [f"see {HERE}work/x", f"'{HERE}root/.cache'", f"({HERE}home/ann/q)", f"file://{HERE}srv/wheels"]
)
def test_a_path_of_one_machine_is_reported(text: str) -> None:
    assert len(machine_paths(sample(text))) == 1


@pytest.mark.parametrize("text", [f"~{HERE}work/x", f"src{HERE}work/x", "https://example.org/home/x", "/usr/bin/env"])
def test_any_other_path_is_not_reported(text: str) -> None:
    assert machine_paths(sample(text)) == []


def test_there_is_a_lock_for_the_base_and_one_for_everything() -> None:
    assert {"base.txt", "bootstrap.txt", "dev.txt"} <= {lock.name for lock in LOCKS}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_has_hashes_and_no_addresses(lock: Path) -> None:
    assert lock_faults(lock.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "click==8.3.0",
        "click>=8 \\\n    --hash=sha256:aa",
        "--index-url https://example.org/simple\n",
        "click @ https://example.org/click.whl \\\n    --hash=sha256:aa",
        "--find-links wheels\n",
    ],
)
def test_a_lock_without_hash_or_with_an_address_is_reported(text: str) -> None:
    assert lock_faults(text) != []


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = set(
        re.findall(r"^[\w.-]+(?===)", (ROOT / "requirements" / "base.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )

    assert {re.split(r"[^\w.-]", wanted)[0] for wanted in project["dependencies"]} <= locked


def machine_paths(file: File) -> list[str]:
    return [
        f"{file.path}:{number}: {line.strip()[:80]}"
        for number, line in enumerate(file.text.splitlines(), 1)
        if MACHINE.search(line)
    ]


def lock_faults(text: str) -> list[str]:
    plain = re.sub(r"^\s*#.*\n?", "", text, flags=re.MULTILINE)
    entries = [entry for entry in re.sub(r"\s*\\\n\s*", " ", plain).splitlines() if entry.strip()]
    pinned = re.compile(r"[\w.-]+==[\w.+!]+( ; [^@]+?)?( --hash=sha256:[0-9a-f]+)+\s*")
    return [entry[:80] for entry in entries if "://" in entry or not pinned.fullmatch(entry)]
