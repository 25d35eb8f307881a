"""A package that cannot be used is a sentence that names it and says what to do; everything else goes on."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.plugins.conftest import Ran, run_in
from tests.plugins.packages import write_metadata

PROVIDER = "from quorate.authoring import Provider\n"
pytestmark = pytest.mark.slow
BROKEN = {
    "raises": ("raise RuntimeError('boom')\n", "cannot be imported: RuntimeError('boom')"),
    "leaves": ("raise SystemExit(3)\n", "cannot be imported: SystemExit(3)"),
    "lacks": ("import nowhere_to_be_found\n", "cannot be imported: ModuleNotFoundError"),
    "wrong": ("PART = 'a text'\n", "it must be a Provider of quorate.authoring, not str"),
    "lost": (PROVIDER + "PART = Provider('odd.example', 'LOST_API_KEY')\n", "its base_url must look like"),
    "home": (PROVIDER + "PART = Provider('https://odd.example', 'HOME')\n", "its key variable must be"),
    "mute": (PROVIDER + "PART = Provider('https://odd.example', 'MUTE_KEY', speaks='Oddish')\n", "speaks must name"),
    "thief": (
        PROVIDER + "PART = Provider('https://odd.example/v1', 'OPENAI_API_KEY')\n",
        "its key variable is that of another provider",
    ),
}
"""What a package says of a provider, by its name, and what is said of it."""
Quorate = Callable[..., Ran]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all of them are installed, and two packages that bring the same, and one that brings what we have."""
    site = tmp_path_factory.mktemp("broken")
    for name, (text, _) in BROKEN.items():
        points = {"quorate.providers": {name: f"acme_{name}:PART"}}
        write_metadata(site, f"acme-{name}", {f"acme_{name}.py": text}, points)
    twin = PROVIDER + "PART = Provider('https://odd.example', 'TWIN_API_KEY')\n"
    for name in ("one", "two"):
        points = {"quorate.providers": {"twin": f"acme_{name}:PART"}}
        write_metadata(site, f"acme-{name}", {f"acme_{name}.py": twin}, points)
    grab = {group: {name: "acme_grab:PART"} for group, name in GRABBED.items()}
    write_metadata(site, "acme-grab", {"acme_grab.py": "raise AssertionError('it was imported')\n"}, grab)
    odd = {"quorate.commands": {"gone": "acme_nowhere:run", "text": "acme_text:PART", "Bad Name": "acme_text:PART"}}
    write_metadata(site, "acme-text", {"acme_text.py": "PART = 'a text'\n"}, odd)
    return site


GRABBED = {
    "quorate.providers": "openai",
    "quorate.ledgers": "postgresql",
    "quorate.errands": "compare",
    "quorate.commands": "ask",
    "quorate.rules": "veto",
}


@pytest.fixture
def quorate(tmp_path: Path, broken: Path) -> Quorate:
    return partial(run_in, tmp_path, broken, {})


@pytest.mark.parametrize("name", BROKEN)
def test_whoever_names_its_part_is_told(name: str, quorate: Quorate) -> None:
    asked = quorate("ask", "Ship it?", "--model", f"{name}:m")

    assert asked.returncode == 1
    assert f"acme-{name}" in asked.stderr
    assert BROKEN[name][1] in asked.stderr
    assert f"pip uninstall acme-{name}" in asked.stderr
    assert "this is a bug" not in asked.stderr


def test_all_of_them_are_listed_with_the_reason_and_stop_nothing(quorate: Quorate) -> None:
    listed = {one["name"]: one["lacks"] for one in json.loads(quorate("models", "--json").stdout)["models"]}
    demo, helped = quorate("ask", "Ship it?", "--panel", "demo", "--quiet"), quorate("--help")

    assert all(reason in listed[name] for name, (_, reason) in BROKEN.items())
    assert "acme-one" in listed["twin"]
    assert "acme-two" in listed["twin"]
    assert "which quorate has itself" in listed["openai"]
    assert demo.returncode == 0, demo.stderr
    assert helped.returncode == 0, helped.stderr


def test_two_packages_with_one_name_are_both_left_alone(quorate: Quorate) -> None:
    asked = quorate("ask", "Ship it?", "--model", "twin:m")

    assert "acme-one" in asked.stderr
    assert "acme-two" in asked.stderr
    assert "neither is used" in asked.stderr


def test_a_name_of_ours_stays_ours(quorate: Quorate) -> None:
    """Not even imported is what would replace it: `acme_grab` fails at once."""
    asked, kept = quorate("ask", "Ship it?", "--panel", "demo", "--quiet"), quorate("list")
    model = quorate("ask", "Ship it?", "--model", "openai:m")
    ruled = quorate("rules", "show", "veto")

    assert asked.stdout.startswith("WARN")
    assert "Ship it?" in kept.stdout
    assert "set OPENAI_API_KEY" in model.stderr
    assert ruled.stdout.startswith("rule veto:")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gone", "command 'gone' of package acme-text (acme_nowhere:run) cannot be imported"),
        ("text", "command 'text' of package acme-text must be a click.Command, not str"),
        ("Bad Name", "package acme-text adds the command 'Bad Name', and a name is a small letter"),
    ],
)
def test_a_command_that_cannot_be_used_is_told_when_it_is_typed(name: str, told: str, quorate: Quorate) -> None:
    ran = quorate(name)

    assert ran.returncode == 1
    assert told in ran.stderr
    assert "pip uninstall acme-text" in ran.stderr
