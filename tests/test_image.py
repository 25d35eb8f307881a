"""The image and its compose file, checked as text: no container engine runs here, so neither was built or started."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from quorate.doors.cli.command_group import quorate
from quorate.doors.cli.worker_status import PATHS
from quorate.doors.web.app import PLAIN_ROUTES
from tests.house.tree import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "quorate"}
RUNNING = [name for name in OURS if name != "init"]
"""`init` ends as soon as it has created the tables."""
STAGES = (ROOT / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")[1:]


def instructions(text: str) -> list[tuple[str, str]]:
    """Each line of a Dockerfile that is no comment, by its word."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


BUILD, FINAL = (instructions(f"FROM {stage}") for stage in STAGES)


def test_there_is_a_server_two_workers_and_their_database() -> None:
    assert {*SERVICES} == {"db", "init", "server", "worker-1", "worker-2"}
    assert {*OURS} == {"init", "server", "worker-1", "worker-2"}


def test_only_the_service_that_creates_tables_has_the_owners_password() -> None:
    assert {name for name, service in SERVICES.items() if "QUORATE_DB_PASSWORD" in str(service)} == {"db", "init"}
    for name in RUNNING:
        assert OURS[name]["environment"]["QUORATE_LEDGER"].startswith("postgresql://quorate_panel:")
        assert OURS[name]["depends_on"] == {"init": {"condition": "service_completed_successfully"}}
    assert OURS["init"]["restart"] == "no"
    assert COMPOSE["configs"]["roles"] == {"file": "compose-roles.sql"}


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_can_write_nowhere_and_gain_nothing(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in {"", "0", "root"}
    assert "privileged" not in service
    assert not service.keys() & {"cap_add", "network_mode", "pid"}


@pytest.mark.parametrize("name", ["db", *RUNNING])
def test_every_service_has_a_health_check_and_a_volume_of_its_own(name: str) -> None:
    [volume] = SERVICES[name]["volumes"]

    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
    assert volume.split(":")[0] in COMPOSE["volumes"]
    assert sum(volume.split(":")[0] in str(other["volumes"]) for other in SERVICES.values() if "volumes" in other) == 1


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one_of_ours_with_flags_that_it_has(name: str) -> None:
    command, *words = OURS[name]["command"]
    # Click keeps with a command the names of help of its first context: it is that of a person.
    root = quorate.make_context("quorate", ["help"])
    found = quorate.get_command(root, command)

    assert found is not None
    # Raises if a flag or a value is not known.
    found.make_context(command, list(words), parent=root, resilient_parsing=False)


@pytest.mark.parametrize("name", RUNNING)
def test_health_is_asked_for_where_the_service_listens_and_answers(name: str) -> None:
    words = OURS[name]["command"]
    url = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", OURS[name]["healthcheck"]["test"][-1])
    assert url is not None
    known = {"serve": PLAIN_ROUTES, "worker": PATHS}[words[0]]

    assert url[1] == words[words.index("--port") + 1]
    assert url[2] in known


def test_only_the_server_is_reached_from_outside_and_only_from_this_machine() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "server": ["127.0.0.1:8420:8420"]
    }


def test_nothing_secret_stands_in_the_files() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")

    assert re.findall(r"PASSWORD: (\S+)", text) == ["${QUORATE_DB_PASSWORD:?put", "${QUORATE_PANEL_PASSWORD:?put"]
    assert not re.findall(r"postgresql://\w+:(?!\$\{QUORATE_(?:DB|PANEL)_PASSWORD:\?)", text)
    assert [name for name, service in SERVICES.items() if "env_file" in service] == ["worker-1", "worker-2"]
    assert {".env", "keys.env"} <= {*(ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}


def test_a_worker_has_longer_to_stop_than_it_takes_to_drain() -> None:
    for name in ("worker-1", "worker-2"):
        words = OURS[name]["command"]
        drain = int(words[words.index("--drain") + 1].rstrip("s"))

        assert int(OURS[name]["stop_grace_period"].rstrip("s")) >= drain + 10


def test_the_image_runs_as_nobody_special() -> None:
    user = [rest for word, rest in FINAL if word == "USER"]
    made = next(rest for word, rest in FINAL if word == "RUN" and "useradd" in rest)

    assert user == ["10001:10001"]
    assert "--uid 10001" in made
    assert {service["user"] for service in OURS.values()} == {"10001:10001"}
    assert next(rest for word, rest in FINAL if word == "ENTRYPOINT") == '["quorate"]'


def test_everything_copied_exists_and_reaches_the_build() -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    sources = [source for word, rest in BUILD if word == "COPY" for source in shlex.split(rest)[:-1]]

    assert sources
    for source in sources:
        assert (ROOT / source).exists()
        assert any(Path(source).is_relative_to(one) for one in let_in)


def test_nothing_is_installed_without_its_hash() -> None:
    installs = [part for word, rest in BUILD if word == "RUN" for part in rest.split("&&") if "pip install" in part]

    assert len(installs) == 3
    assert all("--require-hashes -r requirements/" in one or "--no-deps --no-index dist/" in one for one in installs)
    for lock in ("image.txt", "build.txt"):
        text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
        named = re.findall(r"^([\w.-]+)==[^\n]*\\\n    --hash=sha256:", text, re.MULTILINE)
        assert len(named) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE)) > 4
        assert "://" not in re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


def test_the_locks_of_the_image_agree_with_the_one_that_tests_use() -> None:
    def versions(lock: str) -> set[str]:
        return {
            *re.findall(r"^[\w.-]+==[^ ;]+", (ROOT / "requirements" / lock).read_text(encoding="utf-8"), re.MULTILINE)
        }

    assert versions("image.txt") | versions("build.txt") <= versions("dev.txt")
    assert {"asyncpg", "dbos", "starlette", "uvicorn"} <= {one.split("==")[0] for one in versions("image.txt")}
