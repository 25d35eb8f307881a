"""P12: every route, by every name, from every page, with every token and method; what a caller cannot do."""

from collections.abc import AsyncIterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from starlette.types import ASGIApp, Message

from quorate.doors.web.app import create_app
from quorate.doors.web.operation import Service
from quorate.doors.web.security import CONTENT_POLICY, Access, token_hash
from quorate.doors.web.server import ServerSettings, application
from quorate.doors.web.user_tokens import User, new_token, read_token, read_users
from quorate.errors import BadPanel, BadSetting
from tests.servers import Endpoint
from tests.web.client import QUESTION, TOKEN, Answer, Caller, operator, provider, serving

ID = "0" * 26
OPEN = frozenset({"/", "/static/{path:path}", "/healthz"})
MATRIX: dict[str, tuple[str, ...]] = {
    "/": ("GET",),
    "/static/{path:path}": ("GET",),
    "/healthz": ("GET",),
    "/readyz": ("GET",),
    "/metrics": ("GET",),
    "/openapi.json": ("GET",),
    "/api/deliberations": ("GET", "POST"),
    "/api/deliberations/{id}": ("GET",),
    "/api/deliberations/{id}/entries": ("GET",),
    "/api/deliberations/{id}/events": ("GET",),
    "/api/deliberations/{id}/asks": ("GET",),
    "/api/deliberations/{id}/verify": ("GET",),
    "/api/deliberations/{id}/export": ("GET",),
    "/api/deliberations/{id}/memory": ("GET",),
    "/api/memory/similar": ("GET",),
    "/api/memory/contradictions": ("GET",),
    "/api/deliberations/{id}/answer": ("POST",),
    "/api/deliberations/{id}/review": ("POST",),
    "/api/deliberations/{id}/outcome": ("POST",),
    "/api/deliberations/{id}/cancel": ("POST",),
    "/api/deliberations/{id}/resume": ("POST",),
    "/api/deliberations/{id}/replay": ("POST",),
    "/api/compare": ("GET",),
    "/api/report": ("GET",),
    "/api/protocols": ("GET",),
    "/api/panels": ("GET",),
    "/api/rulebooks": ("GET",),
    "/api/settings": ("GET",),
    "/api/models": ("GET",),
    "/api/forecast": ("POST",),
    "/v1/models": ("GET",),
    "/v1/chat/completions": ("POST",),
}
"""Every route and its methods, by heart: a route that is not here fails."""
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")


def routes() -> dict[str, tuple[str, ...]]:
    whole = create_app(Service(workspaces={}), Access.of((), 1, {}))
    found = [route for route in whole.routes if isinstance(route, Route)]
    return {route.path: tuple(sorted((route.methods or set()) - {"HEAD"})) for route in found}


def test_the_matrix_has_every_route() -> None:
    assert routes() == MATRIX


def address_of(route: str) -> str:
    return route.replace("{id}", ID).replace("{path:path}", "nothing.js")


@pytest.fixture
async def free(tmp_path: Path) -> AsyncIterator[Caller]:
    async with serving(tmp_path) as caller:
        yield caller


HOSTS = {"ours": True, "localhost": True, "foreign": False, "rebound": False, "bare": False}
ORIGINS = {"none": True, "ours": True, "foreign": False, "null": False, "another port": False, "file": False}
TOKENS = {"right": True, "none": False, "wrong": False, "basic": False}


def headers(port: int, host: str, origin: str, token: str) -> dict[str, str]:
    hosts = {
        "ours": f"127.0.0.1:{port}",
        "localhost": f"LOCALHOST:{port}",
        "foreign": "evil.example",
        "rebound": f"evil.example:{port}",
        "bare": "127.0.0.1",
    }
    origins = {
        "ours": f"http://127.0.0.1:{port}",
        "foreign": "http://evil.example",
        "null": "null",
        "another port": f"http://127.0.0.1:{port + 1}",
        "file": "file://",
    }
    tokens = {"right": f"Bearer {TOKEN}", "wrong": "Bearer nobody", "basic": f"Basic {TOKEN}", "none": ""}
    return {
        "Host": hosts[host],
        "Authorization": tokens[token],
        **({"Origin": origins[origin]} if origin in origins else {}),
    }


def expected(route: str, host: str, origin: str, token: str, method: str) -> int | None:
    """The status of a request that no route may see; None for one that is let in."""
    if not HOSTS[host]:
        return 421
    if not ORIGINS[origin]:
        return 403
    return None if TOKENS[token] or (method == "GET" and route in OPEN) else 401


async def test_host_origin_token_and_method_decide_who_comes_in(tmp_path: Path) -> None:
    port, settings = 8420, ServerSettings(operator=operator(tmp_path), token=TOKEN, ledger=":memory:")
    whole = application(settings, port)
    for path, host, origin, token, method in product(MATRIX, HOSTS, ORIGINS, TOKENS, METHODS):
        answer = await called(whole, method, address_of(path), headers(port, host, origin, token))
        wanted = expected(path, host, origin, token, method)
        case = (path, host, origin, token, method, answer.status, answer.body[:200])
        if wanted is not None:
            assert answer.status == wanted, case
            assert answer.json["error"].keys() == {"code", "message"}, case
        else:
            assert answer.status not in {401, 403, 421}, case
            assert answer.status < 500 or path == "/readyz", case
        assert "access-control-allow-origin" not in answer.headers, case
        assert answer.headers["content-security-policy"] == CONTENT_POLICY, case


async def called(whole: ASGIApp, method: str, path: str, sent: Mapping[str, str]) -> Answer:
    """ApiCall the application itself: some 20,000 requests over sockets would take minutes and say no more."""
    named = {"content-type": "application/json", **sent}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
        "state": {},
    }
    told: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Message) -> None:
        told.append(message)

    await whole(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in told)
    return Answer(told[0]["status"], {name.decode(): value.decode() for name, value in told[0]["headers"]}, body)


@pytest.mark.parametrize("path", list(MATRIX))
async def test_over_the_wire_it_is_the_same(free: Caller, path: str) -> None:
    for host, origin, token in (("rebound", "none", "right"), ("ours", "foreign", "right"), ("ours", "ours", "wrong")):
        answer = await free.send("POST", address_of(path), b"{}", headers(free.server.port, host, origin, token))
        assert answer.status == expected(path, host, origin, token, "POST")


LISTENING: dict[str, dict[str, Any]] = {
    "loopback": {},
    # A proxy, a tunnel or a published port brings strangers to a server that listens on loopback alone.
    "loopback under another name": {"names": ("panel.example.org",)},
    "every address": {"host": "0.0.0.0"},  # noqa: S104 - that is what is tried
}


@pytest.mark.parametrize("where", list(LISTENING))
async def test_reading_needs_the_token_wherever_the_server_listens(tmp_path: Path, where: str) -> None:
    async with serving(tmp_path, more=LISTENING[where]) as api:
        for path, (method, *_) in MATRIX.items():
            body = b"{}" if method == "POST" else None
            sent = {"Host": f"panel.example.org:{api.server.port}"} if "name" in where else {}
            without = await api.send(method, address_of(path), body, {"Authorization": "", **sent})

            assert (without.status == 401) is (path not in OPEN), (path, without.status)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_browser_that_says_whose_page_calls_is_believed(free: Caller, site: str) -> None:
    assert (await free.get("/api/deliberations", Sec_Fetch_Site=site)).status == 403
    assert (await free.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate")).status in {200, 404}
    assert (await free.get("/api/deliberations", Sec_Fetch_Site="same-origin")).status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_only_json_can_do_anything(free: Caller, kind: str) -> None:
    told = await free.post("/api/deliberations", QUESTION, Content_Type=kind)

    assert (told.status, told.code) == (415, "unsupported_media_type")


async def test_a_body_is_taken_up_to_a_mebibyte(free: Caller) -> None:
    told = await free.post("/api/deliberations", {"question": "x" * 1_100_000})

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    async with free.session.post(
        "/api/deliberations",
        data=endless(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    ) as response:
        chunked = response.status

    assert (told.status, told.code) == (413, "too_large")
    assert chunked == 413


GARBAGE = (
    *(b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 100_000, b'{"question":1}', b'{"question":""}'),
    *(b'{"question":"\\ud800"}', b'{"question":"?","x":1}', b'{"question":"?","options":"a"}'),
)


@pytest.mark.parametrize("body", GARBAGE)
async def test_what_cannot_be_read_is_refused_in_the_one_form(free: Caller, body: bytes) -> None:
    told = await free.send("POST", "/api/deliberations", body, {})

    assert told.status == 400
    assert told.json["error"]["message"]


ACTING: dict[str, dict[str, Any]] = {
    "a command": {"models": ["cli:claude"]},
    "a command for one seat": {"seats": {"Safety": "cli:codex"}},
    "another address": {"models": ["openai:m@http://203.0.113.9/v1"]},
    "a fallback at another address": {"seats": {"Safety": "openai:m, openai:n@http://203.0.113.9/v1"}},
    "a file as a recording": {"models": ["recording:/etc/passwd"]},
    "sources": {"protocol": "oracle", "settings": {"sources": "/etc"}},
    "a table of sources": {"protocol": "oracle", "settings": {"credibility": "/etc/passwd"}},
    "a search server": {"protocol": "oracle", "settings": {"search": "http://203.0.113.9/"}},
    "a search command": {"protocol": "oracle", "settings": {"search": "mcp"}},
    "the web": {"protocol": "oracle", "settings": {"fetch": "true"}},
    "a comparing model elsewhere": {
        "protocol": "conference",
        "settings": {"similarity": "openai:e@http://203.0.113.9/v1"},
    },
}


@pytest.mark.parametrize("case", list(ACTING))
@pytest.mark.parametrize("route", ["/api/deliberations", "/api/forecast"])
async def test_a_caller_cannot_make_the_server_act(tmp_path: Path, endpoint: Endpoint, case: str, route: str) -> None:
    async with serving(tmp_path, endpoint.url) as api:
        told = await api.post(route, {**QUESTION, **ACTING[case]})

        assert (told.status, told.code) == (403, "not_trusted"), told.body
        assert (await api.get("/api/deliberations")).json["items"] == []
    assert endpoint.seen == []


@pytest.mark.parametrize("panel", ["/etc/passwd", "../panel.yaml", "panel.yaml", "https://203.0.113.9/p.yaml", "\x00"])
async def test_a_caller_names_panels_that_are_offered_and_no_files(tmp_path: Path, panel: str) -> None:
    (tmp_path / "panel.yaml").write_text("extends: demo\n")
    async with serving(tmp_path) as api:
        told = await api.post("/api/deliberations", {**QUESTION, "panel": panel})

    assert (told.status, told.code) == (400, "unknown_name")


async def test_what_the_operator_allows_or_offers_can_be_used(tmp_path: Path, endpoint: Endpoint) -> None:
    (tmp_path / "house.yaml").write_text("extends: demo\n")
    offered = {"house": str(tmp_path / "house.yaml")}
    async with serving(tmp_path, allowed_models=("openai:*@http://127.0.0.1:*",), offered=offered) as api:
        named = await api.start({**QUESTION, "models": [f"openai:other@{endpoint.url}"], "panel": "tribunal"})
        panel = await api.start({**QUESTION, "panel": "house"})

        assert (await api.ended(named))["seats"][0]["model"] == f"openai:other@{endpoint.url}"
        assert (await api.ended(panel))["verdict"]["demo"] is True
        assert "house" in {one["panel"] for one in (await api.get("/api/panels")).json}


async def test_context_that_looks_like_a_file_is_text(tmp_path: Path) -> None:
    async with provider() as endpoint, serving(tmp_path, endpoint.url) as api:
        await api.ended(await api.start({**QUESTION, "context": "@/etc/passwd", "criteria": "@/etc/hosts"}))

        prompts = [str(seen.body) for seen in endpoint.seen]
        assert any("@/etc/passwd" in prompt for prompt in prompts)
        assert not any("root:" in prompt for prompt in prompts)


async def test_two_users_see_and_touch_only_their_own(tmp_path: Path) -> None:
    tokens = {"ann": new_token(), "ben": new_token()}
    users = tuple(
        User(name=name, token=token_hash(token), ledger=str(tmp_path / f"{name}.db")) for name, token in tokens.items()
    )
    async with serving(tmp_path, more={"users": users}) as api:
        ann = Caller(api.session, api.server, tokens["ann"])
        ben = Caller(api.session, api.server, tokens["ben"])
        id_ = await ann.start(QUESTION, Idempotency_Key="shared")
        await ann.ended(id_)
        other = await ben.start(QUESTION, Idempotency_Key="shared")

        assert other != id_
        assert [one["id"] for one in (await ben.get("/api/deliberations")).json["items"]] == [other]
        for path, methods in MATRIX.items():
            if "{id}" in path:
                address = path.replace("{id}", id_)
                body = None if methods[0] == "GET" else b'{"seat":"a","text":"b"}'
                told = await ben.send(methods[0], address, body, {})
                assert told.status in {400, 404}, (path, told.body)
                assert (await ann.send("GET", address, None, {})).status in {200, 405}
        assert (await api.get("/api/deliberations")).status == 401
        assert (await ben.get(f"/api/compare?a={id_}&b=last")).status == 404
        await ben.ended(other)


async def test_a_token_is_kept_where_only_its_owner_reads_it(tmp_path: Path) -> None:
    made = read_token(tmp_path / "state" / "token")

    assert read_token(tmp_path / "state" / "token") == made
    assert (tmp_path / "state" / "token").stat().st_mode & 0o777 == 0o600
    assert len(made) >= 43
    (tmp_path / "short").write_text("x")
    with pytest.raises(BadSetting, match="holds no token"):
        read_token(tmp_path / "short")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "ann: {token: plain, ledger: a.db}",
        f"ann: {{token: {'0' * 64}}}",
        f"ann: {{token: {'0' * 64}, ledger: a.db}}\nben: {{token: {'0' * 64}, ledger: b.db}}",
        f"ann: {{token: {'0' * 64}, ledger: a.db}}\nben: {{token: {'1' * 64}, ledger: ./a.db}}",
        f"'a b': {{token: {'0' * 64}, ledger: a.db}}",
    ],
)
def test_a_file_of_users_that_is_not_one_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "users.yaml").write_text(text)

    with pytest.raises((BadPanel, BadSetting)):
        read_users(tmp_path / "users.yaml")


def test_the_file_of_users_in_the_guide_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8")
    (tmp_path / "users.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0])

    assert [user.name for user in read_users(tmp_path / "users.yaml")] == ["ann", "ben"]
