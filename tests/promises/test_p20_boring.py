"""P20: installing it is boring: nothing of it runs, calls out or starts anything by being imported.

What a wheel in an empty environment comes to is tested in `tests/house/test_install.py`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.figures import Figure
from tests.house.tree import PACKAGE, ROOT

pytestmark = pytest.mark.promise

IMPORT_ALL = """
import importlib, json, pkgutil, sys

package, seen, loaded, absent = sys.argv[1], [], [], []

def watch(event, args):
    if event in {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
                 "socket.gethostbyname", "subprocess.Popen", "os.system", "os.posix_spawn", "os.fork", "os.exec"}:
        seen.append(f"{event} {args[-1] if args else ''}")
    if event == "open" and args[1] not in {None, "r", "rb"}:
        seen.append(f"open {args[0]} {args[1]}")

whole = importlib.import_module(package)
sys.addaudithook(watch)
sys.dont_write_bytecode = True
for found in pkgutil.walk_packages(whole.__path__, f"{package}."):
    if "capsule_files" in found.name or found.name.endswith("__main__"):
        continue  # files that are copied out and run alone
    try:
        importlib.import_module(found.name)
        loaded.append(found.name)
    except ImportError as error:
        absent.append(f"{found.name}: {error}")
print(json.dumps([loaded, absent, seen]))
"""

HIGH = (
    "S102,S103,S201,S202,S324,S401,S402,S411,S412,S413,S415,S501,S502,S503,S504,S505,S506,S507,S509,S602,S604,S605,S701"
)
"""What bandit calls of high severity, and `exec` and unsafe YAML besides, by ruff's numbers."""


def imported(package: str, folder: Path) -> tuple[list[str], list[str], list[str]]:
    """The modules that could be imported, those that could not, and what they did besides."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, package], cwd=folder, capture_output=True, check=True, text=True
    )
    loaded, absent, seen = json.loads(done.stdout.splitlines()[-1])
    return loaded, absent, seen


def severe(folder: Path) -> list[str]:
    """What is of high severity in a folder, whatever a comment in it allows."""
    words = [sys.executable, "-m", "ruff", "check", "--isolated", "--preview", "--no-cache", "--ignore-noqa"]
    done = subprocess.run(
        [*words, "--select", HIGH, "--output-format", "json", folder], capture_output=True, check=False
    )
    return [finding["code"] for finding in json.loads(done.stdout)]


def test_no_module_reaches_a_network_starts_a_program_or_writes_a_file_by_being_imported(figure: Figure) -> None:
    loaded, absent, seen = imported("quorate", ROOT)

    figure(f"{len(loaded)} modules imported: {len(seen)} connections, programs started or files written")
    assert seen == []
    assert absent == []
    assert len(loaded) > 300


def test_a_module_that_calls_home_is_noticed(tmp_path: Path) -> None:
    """Control: one that connects, one that starts a program, one that writes."""
    (tmp_path / "homesick").mkdir()
    files = {
        "__init__": "",
        "caller": "import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))\n",
        "starter": "import subprocess\nsubprocess.run(['true'])\n",
        "writer": "open('left', 'w').close()\n",
    }
    for name, text in files.items():
        (tmp_path / "homesick" / f"{name}.py").write_text(text)

    _, _, seen = imported("homesick", tmp_path)

    assert [one.split()[0] for one in seen] == ["socket.connect", "subprocess.Popen", "open"]


def test_nothing_of_high_severity_stands_in_the_source_whatever_a_comment_allows(figure: Figure) -> None:
    found = severe(PACKAGE)

    figure(f"{HIGH.count(',') + 1} rules of high severity over the source, no comment heeded: {len(found)} findings")
    assert found == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("S602", "import subprocess\nsubprocess.run(word, shell=True)  # noqa\n"),
        ("S605", "import os\nos.system('rm ' + name)  # noqa: S605\n"),
        ("S324", "import hashlib\nhashlib.md5(text)\n"),
        ("S501", "import requests\nrequests.get(address, verify=False)\n"),
        ("S506", "import yaml\nyaml.load(text)\n"),
        ("S102", "exec(text)\n"),
        ("S202", "import tarfile\ntarfile.open(name).extractall()\n"),
    ],
)
def test_what_is_of_high_severity_is_reported(tmp_path: Path, rule: str, text: str) -> None:
    (tmp_path / "sample.py").write_text(text)

    assert severe(tmp_path) == [rule]
