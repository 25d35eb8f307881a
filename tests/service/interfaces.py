"""One adapter for each interface: a case as its user would put it, through the interface's own reading of it."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from click import UsageError

from quorate.doors.cli.ask import ask, ask_request
from quorate.doors.cli.batch import batch
from quorate.doors.inspect_ai import _PanelHost
from quorate.doors.langgraph import _nodes
from quorate.doors.langgraph.state import question_of
from quorate.doors.mcp.deliberations import Deliberations
from quorate.doors.mcp.panel_request import CounselArguments, panel_request
from quorate.doors.python import _host, _request
from quorate.doors.web.action_routes import StartBody
from quorate.doors.web.schema import read_object
from quorate.errors import QuorateError
from quorate.model import Convened, Question
from quorate.service.fields import request_from_fields
from quorate.service.host import Host
from quorate.service.policy import POLICIES, Restriction
from quorate.service.prepare import open_panel, prepare
from quorate.service.request import Note, PreparedRequest, Request

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Case:
    """What somebody asks for, in the fields of the API; `panel_file` is the text of a panel file it names."""

    name: str
    fields: Json = field(default_factory=dict[str, Any])
    question: str = "Should we ship the release?"
    panel_file: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the owner set beforehand: a server's flags, elsewhere the environment."""
    keys: Mapping[str, str] = field(default_factory=lambda: {"OPENAI_API_KEY": "k"})


@dataclass(frozen=True)
class Outcome:
    """What came of it: the first event as it would be recorded and the notes, or the refusal."""

    convened: Convened | None
    notes: tuple[Note, ...] = ()
    refusal: tuple[str, str] = ("", "")


def outcome(make: Callable[[], PreparedRequest]) -> Outcome:
    try:
        prepared = make()
    except QuorateError as refused:
        return Outcome(None, refusal=(type(refused).__name__, refused.reason))
    except UsageError as refused:  # how the command line says the same of what was typed
        return Outcome(None, refusal=("BadSetting", refused.message))
    return Outcome(replace(prepared.convened, seed=""), prepared.notes)


def by_command_line(case: Case, home: Path) -> PreparedRequest:
    with ask.make_context("ask", flags(case, home, case.question)) as context:
        parameters = context.params
        said = parameters.pop("said")
        return asyncio.run(prepare(ask_request(said, parameters), Host.here("command line")))  # type: ignore[arg-type]


def by_batch(case: Case, home: Path) -> PreparedRequest:
    without = {name: value for name, value in case.fields.items() if name not in {"options", "context", "criteria"}}
    with batch.make_context("batch", flags(replace(case, fields=without), home, "questions.jsonl")) as context:
        parameters = context.params
        said = parameters.pop("said")
        request = Request(options=said, allow_partial=bool(without.get("allow_partial")))
        return asyncio.run(open_panel(request, Host.here("batch")).prepare(question(case)))


def by_python(case: Case, home: Path) -> PreparedRequest:
    options = keywords(case, home)
    host = _host(options)  # type: ignore[arg-type]
    return asyncio.run(prepare(_request(case.question, options), host))  # type: ignore[arg-type]


def by_http(case: Case, home: Path) -> PreparedRequest:
    offered = {"house": str(home / "house.yaml")} if case.panel_file else {}
    host = replace(Host.here("HTTP", defaults=case.defaults), offered=offered)
    body = read_object(StartBody, json.loads(json.dumps({"question": case.question, **named(case, "house")})))
    return asyncio.run(prepare(request_from_fields(vars(body), "http"), host))


def by_mcp(case: Case, home: Path) -> PreparedRequest:
    fields = {"question": case.question, **named(case, "house.yaml")}
    host = replace(Deliberations().host, defaults=case.defaults)
    return asyncio.run(prepare(panel_request(fields, CounselArguments()), host))


def by_mcp_over_http(case: Case, home: Path) -> PreparedRequest:
    offered = {"house": str(home / "house.yaml")} if case.panel_file else {}
    host = replace(Host.here("MCP over HTTP", defaults=case.defaults), offered=offered)
    fields = {"question": case.question, **named(case, "house")}
    return asyncio.run(prepare(panel_request(fields, CounselArguments()), host))


def by_langgraph(case: Case, home: Path) -> PreparedRequest:
    options = keywords(case, home)
    asked = {"text": case.question, **{name: options.pop(name, "") for name in ("context", "criteria")}}
    asked["options"] = list(options.pop("options", ()))
    panel = _nodes(options.pop("protocol", None), options).panel  # type: ignore[arg-type]
    return asyncio.run(panel.prepare(question_of({"question": asked})))


def by_inspect_ai(case: Case, home: Path) -> PreparedRequest:
    options = keywords(case, home)
    for name in ("context", "criteria", "options"):
        options.pop(name, None)
    return asyncio.run(_PanelHost.of(options).panel.prepare(question(case)))  # type: ignore[arg-type]


INTERFACES: Mapping[str, Callable[[Case, Path], PreparedRequest]] = {
    "command line": by_command_line,
    "Python": by_python,
    "HTTP": by_http,
    "MCP": by_mcp,
    "MCP over HTTP": by_mcp_over_http,
    "LangGraph": by_langgraph,
    "inspect_ai": by_inspect_ai,
    "batch": by_batch,
}
"""By the name of their policy."""


def question(case: Case) -> Question:
    fields = case.fields
    return Question(
        case.question,
        options=tuple(fields.get("options", ())),
        context=fields.get("context", ""),
        criteria=fields.get("criteria", ""),
    )


def named(case: Case, panel: str) -> Json:
    """The fields, with the panel file by the name it has there."""
    return {**case.fields, **({"panel": panel} if case.panel_file else {})}


def keywords(case: Case, home: Path) -> Json:
    return dict(named(case, str(home / "house.yaml")))


def flags(case: Case, home: Path, argument: str) -> list[str]:
    """The same as somebody would type it."""
    words: list[str] = []
    for name, value in named(case, str(home / "house.yaml")).items():
        match name, value:
            case "options" | "models", _:
                words += [word for one in value for word in ({"options": "--option"}.get(name, "--model"), one)]
            case "settings" | "seats", _:
                pairs = (f"{key}={str(one).lower() if isinstance(one, bool) else one}" for key, one in value.items())
                words += [word for pair in pairs for word in ({"settings": "--set"}.get(name, "--seat"), pair)]
            case "allow_partial", _:
                words += ["--allow-partial"] if value else []
            case _:
                words += [f"--{name.replace('_', '-')}", str(value)]
    return [*words, argument]


def fixed(case: Case, interface: str) -> Case:
    """The case with the protocol named that an interface holds where the question doesn't choose one."""
    policy = POLICIES[interface]
    spoken = {*case.fields, *case.defaults} & {"protocol", "panel"}
    if spoken or case.panel_file or not policy.restricts(Restriction.FIXED_PROTOCOL):
        return case
    return replace(case, fields={**case.fields, "protocol": policy.usual_protocol or "tribunal"})
