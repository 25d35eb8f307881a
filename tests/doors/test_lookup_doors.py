"""Which folder seats may look into, the user or the operator says: a client and a request cannot."""

from pathlib import Path

import pytest

from quorate.doors.mcp.panel_request import CounselArguments, Participant, panel_request
from quorate.errors import QuorateError
from quorate.model import LookupTerms
from quorate.service.fields import request_from_fields
from quorate.service.host import Host
from quorate.service.policy import POLICIES
from quorate.service.prepare import prepare
from quorate.service.request import PreparedRequest

PEOPLE = (Participant(cli="openai", model="gpt-5"), Participant(cli="openai", model="gpt-5-mini"))
KEYS = {"OPENAI_API_KEY": "k"}


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    (folder / "one/src").mkdir(parents=True)
    (tmp_path / "private").mkdir()
    (folder / "out").symlink_to(tmp_path / "private")
    return folder


async def asked(home: Path, folder: str | None, **env: str) -> PreparedRequest:
    request = panel_request({"question": "Should we?"}, CounselArguments(participants=PEOPLE, working_directory=folder))
    return await prepare(request, Host(env={**KEYS, **env}, home=home, policy=POLICIES["MCP"]))


async def test_a_clients_folder_is_opened_only_within_the_one_that_the_user_opened(
    opened: Path, tmp_path: Path
) -> None:
    for folder, meant in ((".", ""), ("one", "one"), ("one/../one/src", "one/src")):
        told = await asked(tmp_path, f"{opened}/{folder}", QUORATE_LOOK_IN=str(opened), QUORATE_LOOK_LIMIT="2")
        assert told.convened.lookups == LookupTerms(root=str(opened / meant), replies=2)
        assert any("seats may list, read and search" in note.text for note in told.notes)


@pytest.mark.parametrize("folder", ["{}/private", "{}", "{}/projects/out", "{}/projects/../private", "/", "a\0b"])
async def test_a_folder_elsewhere_is_not_opened_and_a_note_says_so(opened: Path, tmp_path: Path, folder: str) -> None:
    told = await asked(tmp_path, folder.format(tmp_path), QUORATE_LOOK_IN=str(opened))

    assert told.convened.lookups is None
    assert any("QUORATE_LOOK_IN" in note.text for note in told.notes)


async def test_without_leave_a_working_directory_opens_nothing(opened: Path, tmp_path: Path) -> None:
    told = await asked(tmp_path, str(opened))

    assert told.convened.lookups is None
    assert any("working_directory has no effect" in note.text for note in told.notes)
    assert (await asked(tmp_path, None)).convened.lookups is None


async def requested(home: Path, settings: dict[str, str] | None = None, **defaults: object) -> PreparedRequest:
    host = Host(env={**KEYS}, home=home, policy=POLICIES["HTTP"], defaults={"model": "openai:gpt-5", **defaults})
    return await prepare(request_from_fields({"question": "Should we?", "settings": settings or {}}, "http"), host)


async def test_a_request_over_http_cannot_name_a_folder(opened: Path, tmp_path: Path) -> None:
    for name in ("look_in", "look_limit", "lookups"):
        with pytest.raises(QuorateError, match=name):
            await requested(tmp_path, {name: str(opened)})
    assert (await requested(tmp_path)).convened.lookups is None


async def test_what_the_operator_opened_is_open_to_every_request(opened: Path, tmp_path: Path) -> None:
    told = await requested(tmp_path, look_in=str(opened))

    assert told.convened.lookups == LookupTerms(root=str(opened), replies=3)
