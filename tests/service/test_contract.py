"""One request, one meaning: the same request through every interface gives the same first event, notes and refusal.

What an interface restricts is a policy with a name; nothing else may differ.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import deliberate_now
from quorate.model import Convened
from quorate.service.policy import POLICIES, Restriction
from quorate.settings.table import TABLE
from tests.doors.conftest import home, quorate
from tests.service.interfaces import INTERFACES, Case, Outcome, fixed, outcome

pytestmark = pytest.mark.promise

__all__ = ["home", "quorate"]

MODEL = {"models": ["openai:m"]}
TRIO = {"models": ["openai:a", "openai:b", "openai:c"]}
NOWHERE = {f"{name}_BASE_URL": "http://127.0.0.1:9/v1" for name in ("LLAMACPP", "LMSTUDIO", "OLLAMA", "VLLM")}
FILES = "extends: tribunal\nmodel: openai:m\nfiles: ['*.md']\n"
COMMAND = "extends: tribunal\nmodel: cli:house\ncommands: {house: [sh, -c, 'echo no']}\n"
GATEWAY = "extends: tribunal\nmodel: openai:m@https://gateway.example/v1\n"
KAFKA = "Which should we use, Kafka or Redis?"

DRIFTED = (
    Case(name="Python and LangGraph took this for a tribunal", question=KAFKA, fields=MODEL),
    Case(name="Python ignored these options", fields={**MODEL, "protocol": "tribunal", "options": ["a", "b"]}),
    Case(name="MCP dropped the files of a panel file", panel_file=FILES),
    Case(name="Python and graphs started on too little", fields={**MODEL, "protocol": "tribunal", "budget": "3 calls"}),
    Case(name="MCP asked other models", fields={"protocol": "tribunal"}, defaults={"model": ("openai:own",)}),
    Case(name="MCP ignored the server's budget", fields=MODEL, defaults={"budget": "3 calls"}),
    Case(name="inspect_ai read no files", panel_file=FILES, fields={"context": "What we know."}),
    Case(
        name="graphs knew no setting was wrong", fields={**MODEL, "protocol": "tribunal", "settings": {"mode": "quick"}}
    ),
)
"""What eleven preparations once made of them; the first rows, so that they never come back."""

QUESTIONS = (
    Case(name="a question", fields=MODEL),
    Case(name="one that asks which", question="Which release is best?", fields=MODEL),
    Case(name="pros and cons", question="What are the pros and cons of a monorepo?", fields=TRIO),
    Case(name="alternatives", question="Postgres or MySQL?", fields=MODEL),
    Case(name="context", fields={**MODEL, "protocol": "tribunal", "context": "It is late."}),
    Case(name="criteria", fields={**MODEL, "protocol": "tribunal", "criteria": "Sleep."}),
    Case(name="options", fields={**MODEL, "protocol": "conference", "options": ["tea", "milk"]}),
    Case(name="options alone", question="Name it", fields={**MODEL, "options": ["Aurora", "Borealis"]}),
    Case(name="an option twice", fields={**MODEL, "protocol": "ranked", "options": ["tea", "tea"]}),
    Case(name="nothing", question="   ", fields=MODEL),
    Case(name="a huge question", question="Why? " * 60_000, fields={**MODEL, "protocol": "tribunal"}),
    Case(name="invisible signs", question="Should we\u200b ship?", fields={**MODEL, "protocol": "tribunal"}),
)
PANELS = (
    *(
        Case(name=f"protocol {name}", fields={**MODEL, "protocol": name})
        for name in ("tribunal", "conference", "oracle")
    ),
    *(Case(name=f"panel {name}", fields={**MODEL, "panel": name}) for name in ("gate", "council", "delphi", "debate")),
    Case(name="unknown protocol", fields={**MODEL, "protocol": "tribunel"}),
    Case(name="unknown panel", fields={**MODEL, "panel": "tribunel"}),
    Case(name="panel and protocol", fields={**MODEL, "panel": "gate", "protocol": "tribunal"}),
    Case(name="a rulebook", fields={**MODEL, "protocol": "tribunal", "rulebook": "strict"}),
    Case(name="a rulebook there is not", fields={**MODEL, "protocol": "tribunal", "rulebook": "strikt"}),
    Case(name="another protocol's rulebook", fields={**MODEL, "protocol": "debate", "rulebook": "strict"}),
    Case(name="a panel file", panel_file="extends: tribunal\nmodel: openai:m\ndeadline: 60s\n"),
    Case(name="a panel file, and more", panel_file="extends: tribunal\nmodel: openai:m\n", fields={"deadline": "30s"}),
    Case(name="a broken panel file", panel_file="extends: [\n"),
    Case(name="a panel file with a rulebook", panel_file="extends: tribunal\nmodel: openai:m\nrulebook: strict\n"),
)
MODELS = (
    Case(name="three models", fields={**TRIO, "protocol": "tribunal"}),
    Case(name="three models of one kind", fields={**TRIO, "protocol": "conference"}),
    Case(
        name="four models", fields={"models": ["openai:a", "openai:b", "openai:c", "openai:d"], "protocol": "tribunal"}
    ),
    Case(name="a model for a seat", fields={**MODEL, "protocol": "tribunal", "seats": {"Safety": "openai:s"}}),
    Case(name="a seat there is not", fields={**MODEL, "protocol": "tribunal", "seats": {"Safty": "openai:s"}}),
    Case(name="seats of one's own", fields={"protocol": "conference", "seats": {"Ann": "openai:a", "Ben": "openai:b"}}),
    Case(name="a seat of one's own", fields={"protocol": "conference", "seats": {"Ann": "openai:a"}}),
    Case(name="fallbacks", fields={"models": ["openai:a,openai:b"], "protocol": "tribunal"}),
    Case(name="a provider there is not", fields={"models": ["opnai:a"], "protocol": "tribunal"}),
    Case(name="no model", fields={"protocol": "tribunal"}, keys={}),
    Case(
        name="seats over the owner's model",
        defaults={"model": ("openai:own",)},
        fields={"seats": {"Safety": "openai:s"}, "protocol": "tribunal"},
    ),
    Case(
        name="seats instead of the owner's model",
        defaults={"model": ("openai:own",)},
        fields={"seats": {"Ann": "openai:a", "Ben": "openai:b"}, "protocol": "conference"},
    ),
    Case(
        name="models instead of the owner's",
        defaults={"model": ("openai:own",)},
        fields={**TRIO, "protocol": "tribunal"},
    ),
)
LIMITS = (
    Case(name="a budget", fields={**MODEL, "protocol": "tribunal", "budget": "40 calls, 900k tokens, unpriced"}),
    Case(name="a budget too small in tokens", fields={**MODEL, "protocol": "tribunal", "budget": "100 tokens"}),
    Case(
        name="a budget too small, and allowed",
        fields={**MODEL, "protocol": "tribunal", "budget": "3 calls", "allow_partial": True},
    ),
    Case(name="a budget that can't be read", fields={**MODEL, "protocol": "tribunal", "budget": "a lot"}),
    Case(name="a deadline", fields={**MODEL, "protocol": "tribunal", "deadline": "90s"}),
    Case(name="a deadline that can't be read", fields={**MODEL, "protocol": "tribunal", "deadline": "soon"}),
    Case(name="patience", fields={**MODEL, "protocol": "tribunal", "patience": "20s"}),
    Case(name="the owner's deadline", fields={**MODEL, "protocol": "tribunal"}, defaults={"deadline": "45s"}),
    Case(
        name="another than the owner's deadline",
        fields={**MODEL, "protocol": "tribunal", "deadline": "15s"},
        defaults={"deadline": "45s"},
    ),
)
SETTINGS = (
    Case(name="a setting", fields={**MODEL, "protocol": "conference", "settings": {"max_rounds": 3}}),
    Case(name="a switch", fields={**MODEL, "protocol": "conference", "settings": {"early_stopping": False}}),
    Case(
        name="a rule's setting", fields={**MODEL, "protocol": "tribunal", "settings": {"supermajority.at_least": "3/4"}}
    ),
    Case(name="two thirds", fields={**MODEL, "protocol": "tribunal", "settings": {"supermajority.at_least": "66%"}}),
    Case(
        name="a rule's setting too large",
        fields={**MODEL, "protocol": "tribunal", "settings": {"supermajority.at_least": "2"}},
    ),
    Case(name="a setting there is not", fields={**MODEL, "protocol": "conference", "settings": {"max_round": 3}}),
    Case(name="sources of another protocol", fields={**MODEL, "protocol": "tribunal", "settings": {"min_agents": 2}}),
    Case(
        name="the owner's setting",
        fields={**MODEL, "protocol": "conference"},
        defaults={"settings": (("max_rounds", "4"),)},
    ),
)
PAST = (
    Case(name="precedents", fields={**MODEL, "protocol": "tribunal", "memory": "on"}),
    Case(name="no room for precedents", fields={**MODEL, "protocol": "tribunal", "memory": "5"}),
    Case(name="memory that can't be read", fields={**MODEL, "protocol": "tribunal", "memory": "maybe"}),
    Case(name="a promise", fields={**MODEL, "protocol": "tribunal", "act_error": "2.5%"}),
    Case(name="no such promise", fields={**MODEL, "protocol": "tribunal", "act_error": "250%"}),
    Case(name="the owner's promise", fields={**MODEL, "protocol": "tribunal"}, defaults={"act_error": "2%"}),
    Case(
        name="a stricter promise",
        fields={**MODEL, "protocol": "tribunal", "act_error": "1%"},
        defaults={"act_error": "2%"},
    ),
)
CONSENT = (
    Case(name="a file that runs a command", panel_file=COMMAND),
    Case(name="a file that sends elsewhere", panel_file=GATEWAY),
)
CASES = (*DRIFTED, *QUESTIONS, *PANELS, *MODELS, *LIMITS, *SETTINGS, *PAST, *CONSENT)


BY_NAME = {Restriction.OFFERED_PANELS, Restriction.PANELS_NEARBY}
"""Where a panel is no path, the refusal lists other panels."""


def test_there_are_enough_requests() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.fixture
def place(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with notes, where the requests arrive, and a ledger that remembers a decision."""
    monkeypatch.chdir(home)
    (home / "notes.md").write_text("The backup was restored on Monday.")
    (home / "questions.jsonl").write_text("")
    for name, value in NOWHERE.items():
        monkeypatch.setenv(name, value)
    return home


def through(interface: str, case: Case, home: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """What a case comes to, with what the owner set where that interface looks for it."""
    (home / "house.yaml").write_text(case.panel_file)
    with monkeypatch.context() as patch:
        for name, value in case.keys.items():
            patch.setenv(name, value)
        if interface not in {"HTTP", "MCP", "MCP over HTTP"}:
            (home / "config.yaml").write_text(json.dumps(user_file(case)))
            patch.setenv("QUORATE_CONFIG", str(home / "config.yaml"))
        return outcome(lambda: INTERFACES[interface](case, home))


def user_file(case: Case) -> dict[str, object]:
    """The owner's settings, where there is no server to start with them."""
    written: dict[str, object] = dict(case.defaults)
    if "model" in written:
        written["model"] = case.defaults["model"][0]
    if "settings" in written:
        written["settings"] = dict(case.defaults["settings"])
    return written


def comparable(one: Outcome, interface: str) -> object:
    """An outcome without what the policy of its interface names."""
    if one.convened is None:
        kind, reason = one.refusal
        for option in TABLE:  # the command line calls a setting by its flag
            reason = reason.replace(f"{option.flag}:", f"{option.name}:")
        return kind if kind == "NotTrusted" else (kind, reason)
    notes = tuple(note for note in one.notes if note.kind != "protocol")
    return without_switches(one.convened, interface), notes


def without_switches(convened: Convened, interface: str) -> Convened:
    added = {Restriction.STOPS_WHEN_SETTLED: "stop_when_settled", Restriction.MARKED_ACT: "act_needs_mark"}
    names = {name for what, name in added.items() if POLICIES[interface].restricts(what)}
    return replace(convened, settings=tuple(pair for pair in convened.settings if pair[0] not in names))


def expected(case: Case, interface: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """What the command line makes of it, but for what the policy of the interface restricts."""
    policy = POLICIES[interface]
    plain = fixed(case, interface)
    if policy.restricts(Restriction.NO_PRECEDENTS) and "memory" in case.fields and case.fields["memory"] != "maybe":
        return Outcome(None, refusal=("BadSetting", ""))
    return through("command line", plain, place, monkeypatch)


@pytest.mark.parametrize("interface", [name for name in INTERFACES if name != "command line"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_interface_makes_the_same_of_a_request(
    case: Case, interface: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.name == "precedents":
        deliberate_now(case.question, panel="demo")
        deliberate_now("Should we ship the release on Friday?", models=["openai:none@http://127.0.0.1:9/v1"])
    wanted = expected(case, interface, place, monkeypatch)
    found = through(interface, case, place, monkeypatch)

    told = (found.refusal[1], *(note.text for note in found.notes))
    if interface != "batch":
        assert not any(option.flag in text for text in told for option in TABLE), "flags are the command line's words"

    if case.name == "unknown panel" and POLICIES[interface].restrictions.keys() & BY_NAME:
        assert found.convened is wanted.convened is None
    elif wanted.refusal == ("BadSetting", ""):
        assert found.refusal[0] == "BadSetting"
        assert "memory" in found.refusal[1]
    else:
        assert comparable(found, interface) == comparable(wanted, interface)
