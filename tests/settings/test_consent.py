"""Consent is for what was seen, for that content, and garbage is none."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.errors import BadSetting, NotTrusted, QuorateError
from quorate.evidence.secret_files import is_secret
from quorate.model import Convened, Question
from quorate.presets import panel
from quorate.settings.consent import Consent, Consents, admit_settings, asked_by_file
from quorate.settings.convene import convene
from quorate.settings.effects import ConsentRequest, Effect, digest_of
from quorate.settings.resolve import Settings, resolve
from tests.ledger.sample import CONVENED

PANEL = "extends: tribunal\nmodel: 'openai:m@https://gateway.example/v1'\ncommands: {mine: [sh, -c, 'echo  two']}\n"


def read(home: Path, text: str = PANEL, name: str = "panel.yaml") -> Settings:
    (home / name).write_text(text, encoding="utf-8")
    return resolve({"panel": str(home / name)}, {}, home)


def asked(home: Path, text: str = PANEL) -> ConsentRequest:
    request = asked_by_file(read(home, text), {})
    assert request is not None
    return request


def test_everything_that_acts_is_listed_word_for_word(tmp_path: Path) -> None:
    assert [effect.line for effect in asked(tmp_path).effects] == [
        "run the command sh -c 'echo  two'",
        "send the question and everything that is said to https://gateway.example/v1, with OPENAI_API_KEY",
    ]


def test_what_was_allowed_for_a_content_holds_for_that_content_alone(tmp_path: Path) -> None:
    found = read(tmp_path)
    Consents(found.state).keep(asked(tmp_path))

    env = admit_settings(found, {"OPENAI_API_KEY": "k"}).environment({"OPENAI_API_KEY": "k"})
    assert env["QUORATE_ALLOW_KEYS"] == "OPENAI_API_KEY@gateway.example:443"
    assert env["QUORATE_COMMAND_MINE"] == "sh -c 'echo  two'"
    with pytest.raises(NotTrusted):
        admit_settings(read(tmp_path, PANEL + " "), {})
    assert admit_settings(read(tmp_path, PANEL, "copy.yaml"), {}).consent, "the same content under another name"


def test_consent_for_fewer_effects_is_not_consent_for_all(tmp_path: Path) -> None:
    found, request = read(tmp_path), asked(tmp_path)
    for kept in (request.effects[:1], request.effects[1:]):
        Consents(found.state).keep(ConsentRequest(name="x", digest=request.digest, effects=kept, how=""))
        with pytest.raises(NotTrusted):
            admit_settings(found, {})


@pytest.mark.parametrize(
    "kept", ["", "[]", "{}", '{"effects": 1}', '{"effects": [["command"]]}', '{"effects": [[1, 2, 3]]}', "[" * 9999]
)
def test_a_store_that_cannot_be_read_allows_nothing(tmp_path: Path, kept: str) -> None:
    found, request = read(tmp_path), asked(tmp_path)
    Consents(found.state).keep(request)
    (found.state / "trust" / f"{request.digest}.json").write_text(kept, encoding="utf-8")

    with pytest.raises(NotTrusted):
        admit_settings(found, {})


def test_a_store_holds_no_key(tmp_path: Path) -> None:
    found = read(tmp_path, f"{PANEL}keys: {{OPENAI_API_KEY: sk-secret}}\n")
    request = asked_by_file(found, {"OPENAI_API_KEY": "sk-mine"})
    assert request is not None
    Consents(found.state).keep(request)
    kept = (found.state / "trust" / f"{request.digest}.json").read_text(encoding="utf-8")

    assert "sk-" not in kept
    assert {Effect.of(one) for one in json.loads(kept)["effects"]} == set(request.effects)


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("", encoding="utf-8")
    with pytest.raises(BadSetting, match="consent cannot be kept"):
        Consents(tmp_path / "state").keep(asked(tmp_path))


def test_a_relative_state_folder_is_ignored(tmp_path: Path) -> None:
    found = resolve({}, {"XDG_STATE_HOME": "here"}, tmp_path)

    assert found.state == tmp_path / ".local/state/quorate"


@pytest.mark.parametrize("pair", ["openai", "openai@", "nobody@x", "openai@http://x", "openai@x/y", "openai@a@b"])
def test_a_pair_that_is_none_is_refused_with_an_example(tmp_path: Path, pair: str) -> None:
    with pytest.raises(QuorateError, match=r"such as openai@gateway\.example:8080"):
        resolve({"allow_keys": (pair,)}, {}, tmp_path)
    with pytest.raises(QuorateError, match="QUORATE_ALLOW_KEYS"):
        resolve({}, {"QUORATE_ALLOW_KEYS": pair}, tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".ENV.local", "prod.env", "id_rsa", "id_ed25519.pub", "server.pem", "tls.key", "credentials"),
        *("Credentials.json", ".netrc", ".npmrc", ".ssh/config", ".aws/config", "a/.git/config", "secrets.yaml"),
    ],
)
def test_names_that_look_like_secrets(name: str) -> None:
    assert is_secret(Path("/srv/you/project", name))


@pytest.mark.parametrize("name", ["readme.md", "environment.md", "src/keys.py", "docs/secretary.md", "monkey.txt"])
def test_names_that_do_not(name: str) -> None:
    assert not is_secret(Path("/srv/you/project", name))


BEGUN = Effect("address", "http://127.0.0.1:9/v1")


def test_what_was_begun_here_is_a_line_and_broken_lines_allow_nothing(tmp_path: Path) -> None:
    kept, one, two, three = Consents(tmp_path), "1" * 64, "2" * 64, "3" * 64
    kept.add_line(one, json.dumps([BEGUN.plain]))
    with (tmp_path / "trust" / "begun").open("ab") as file:
        file.write(f"\n{two} [[".encode())
    kept.add_line(three, json.dumps([BEGUN.plain]))

    assert [kept.read(digest) for digest in (one, two, three, "4" * 64)] == [{BEGUN}, set(), {BEGUN}, set()]
    assert (tmp_path / "trust" / "begun").stat().st_mode & 0o777 == 0o600


def begun(protocol: str = "tribunal", model: str = "openai:m@http://127.0.0.1:9/v1", **settings: str) -> Convened:
    """A deliberation as it would begin, twice in the same words."""
    charter = panel(protocol)
    charter = replace(charter, models=tuple((seat.name, model) for seat in charter.panel))
    charter = replace(charter, settings=tuple(settings.items()))
    return replace(convene(Question(text="Ship — it?", context="c"), charter), seed="ab" * 32, made_by="quorate 0")


def test_what_was_begun_in_earlier_versions_is_found_under_the_same_name() -> None:
    assert digest_of(CONVENED) == "727ee207e9e029ed5836529af8bf12e1eb4f2fa6d0efbfede1bf74ad60b01843"


def test_what_was_worked_out_for_one_panel_holds_for_the_same_in_the_same_environment_alone(tmp_path: Path) -> None:
    kept = Consents(tmp_path)
    away = Consent(kept=kept, env={})
    home = replace(away, env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    first, other = begun(), replace(begun(model="openai:m@http://127.0.0.1:8/v1"), seed="cd" * 32)
    for consent, convened in ((away, first), (away, first), (away, other)):
        consent.begin(convened)

    assert kept.read(digest_of(first)) == {BEGUN}
    assert kept.read(digest_of(other)) == {Effect("address", "http://127.0.0.1:8/v1")}
    lines = (tmp_path / "trust" / "begun").read_bytes()
    home.begin(first)  # there it is the user's own address, and nothing needs to be allowed
    assert (tmp_path / "trust" / "begun").read_bytes() == lines


def test_where_a_folder_of_sources_lies_is_looked_up_at_every_beginning(tmp_path: Path) -> None:
    consent, link = Consent(kept=Consents(tmp_path), env={}), tmp_path / "link"
    oracle, found = begun("oracle", sources=str(link)), []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / name)
        consent.begin(oracle)
        found.append({effect.what for effect in (consent.begun or {})[digest_of(oracle)] if effect.kind == "file"})

    assert found == [{str((tmp_path / "one").resolve())}, {str((tmp_path / "two").resolve())}]
