"""Routes that read: list, show, follow, check, export and compare deliberations."""

import asyncio
from typing import Annotated, Any, Final, Literal, TypedDict

from starlette.exceptions import HTTPException
from starlette.responses import Response

from quorate.doors.web.broadcast import EventStream, Publisher, Viewer
from quorate.doors.web.encoding import JsonResponse, encode
from quorate.doors.web.operation import ApiCall, Operation
from quorate.engine.person_entries import asks_of_people
from quorate.errors import UnknownName
from quorate.evaluate.learned_figures import learned_document
from quorate.frozen import dataclass
from quorate.ledger import export as exports
from quorate.ledger.summary import check_summary
from quorate.offline.compare import comparison_document
from quorate.offline.ledger_list import RecordFilter, begun_since, list_records, summary_document
from quorate.offline.ledger_report import report_ledger
from quorate.offline.record_view import judged_record, look_up, shown_record, verification_document
from quorate.views import VIEWS

__all__ = ["OPERATIONS"]

LONGEST: Final = 100
"""Lines of a list at most: each is checked."""
State = Literal["decided", "turned_away", "failed", "halted", "waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which deliberations are meant."""

    limit: Annotated[int, "How many at most, up to 100."] = 20
    before: Annotated[str | None, "Those that follow this id in the list: `next` of the page before."] = None
    state: State | None = None
    protocol: str | None = None
    since: Annotated[str | None, "A day such as 2026-11-01, or 36h, 7d, 4w."] = None
    search: Annotated[str | None, "Any text in the question or in what was said."] = None
    awaits: Annotated[bool | None, "Whether a person is to review it."] = None


class ListItem(TypedDict):
    """A line of the list."""

    id: str
    state: str
    question: str
    protocol: str
    outcome: str | None
    review: dict[str, Any] | None
    begun: str
    imported: bool
    check: str
    running: bool


class RecordList(TypedDict):
    """A page of the list."""

    items: list[ListItem]
    next: str | None


async def list_deliberations(call: ApiCall) -> Response:
    query = call.query(ListQuery)
    limit = max(1, min(query.limit, LONGEST))
    meant = RecordFilter(
        state=query.state,
        protocol=query.protocol,
        since=None if query.since is None else begun_since(query.since),
        search=query.search,
        awaits=query.awaits,
        before=query.before,
    )
    # One more tells whether there is a next page; it is not shown, so it is not checked.
    found = [one async for one in list_records(call.workspace.ledger, meant, limit + 1, checked=limit)]
    items: list[dict[str, object]] = []
    for one in found[:limit]:
        told, running = summary_document(one.summary), await call.workspace.is_running(one.summary.id)
        state = "running" if running and told["state"] == "halted" else told["state"]
        items.append({**told, "state": state, "check": one.check, "running": running})
    return JsonResponse({"items": items, "next": items[-1]["id"] if len(found) > limit else None})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowQuery:
    """In which form."""

    as_: Annotated[str, "json, or a form that `quorate show --as` knows: minutes, markdown, s4 …"] = "json"


async def show_deliberation(call: ApiCall) -> Response:
    form = call.query(ShowQuery).as_
    if form not in VIEWS:
        raise UnknownName("form", form, VIEWS)
    id_ = await call.id()
    # Asked first: what it says of an end must be in what is read after it.
    running = await call.workspace.is_running(id_)
    found = await look_up(call.workspace.ledger, id_)
    shown = await asyncio.to_thread(shown_record, form, found.record, found.checked)
    if isinstance(shown, dict) and form == "json":
        shown["learned"] = await asyncio.to_thread(learned_document, found.record, call.workspace.place)
    if isinstance(shown, dict):
        trouble = None if running else call.workspace.failures.get(found.record.id)
        return JsonResponse({**shown, "running": running, "trouble": trouble} if form == "json" else shown)
    kind, more = ("text/html", _SAVED) if form == "html" else ("text/markdown", {})
    return Response(
        shown.encode(errors="backslashreplace"),
        media_type=f"{kind}; charset=utf-8",
        headers={name: value.format(id=found.record.id) for name, value in more.items()},
    )


_SAVED: Final = {"Content-Disposition": 'attachment; filename="{id}.html"', "Content-Security-Policy": "sandbox"}
"""A page that holds what models said is saved and opened elsewhere, never shown as one of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterQuery:
    """From where on."""

    after: Annotated[int, "The number of the last entry that is known; what follows it is sent."] = 0


class EntryList(TypedDict):
    """What follows an entry."""

    id: str
    entries: list[dict[str, Any]]
    ended: bool


async def list_entries(call: ApiCall) -> Response:
    after, id_ = max(0, call.query(AfterQuery).after), await call.id()
    publisher = await call.workspace.publisher(id_)
    entries = b",".join(publisher.documents(after))
    ended = b"true" if publisher.is_over else b"false"
    await call.workspace.leave(publisher)
    return Response(
        b'{"id":%b,"entries":[%b],"ended":%b}' % (encode(id_), entries, ended), media_type="application/json"
    )


async def follow_events(call: ApiCall) -> Response:
    after = call.request.headers.get("last-event-id", "")
    known = int(after[:12]) if after.isascii() and after.isdecimal() else max(0, call.query(AfterQuery).after)
    counts = call.service.counts
    if counts.viewers >= call.service.limits.streams:
        raise HTTPException(503, "too many event streams are open; close some, or try again")
    publisher = await call.workspace.publisher(await call.id())
    counts.viewers += 1

    async def leave(viewer: Viewer, *, stalled: bool) -> None:
        counts.viewers -= 1
        counts.dropped += stalled
        if stalled and call.request.client is not None:
            call.service.abort((call.request.client.host, call.request.client.port))
        await call.workspace.leave(viewer.publisher)

    return EventStream(Viewer(publisher, known), leave)


class OpenAsk(TypedDict):
    """What a person is asked."""

    seat: str
    round: str
    about: str
    attempt: int
    prompt: str


async def list_asks(call: ApiCall) -> Response:
    publisher: Publisher = await call.workspace.publisher(await call.id())
    asks = asks_of_people(publisher.state) if publisher.state else ()
    await call.workspace.leave(publisher)
    return JsonResponse(
        [
            {
                "seat": ask.seat.name,
                "round": ask.round,
                "about": ask.about.name if ask.about else "",
                "attempt": ask.attempt,
                "prompt": ask.prompt.template,
            }
            for ask in asks
        ]
    )


async def verify_deliberation(call: ApiCall) -> Response:
    found = await look_up(call.workspace.ledger, await call.id())
    await check_summary(call.workspace.ledger, found.record.id)
    return JsonResponse(verification_document(*found))


async def export_deliberation(call: ApiCall) -> Response:
    id_ = await call.id()
    lines = await exports.export(call.workspace.ledger, id_)
    saved = {"Content-Disposition": f'attachment; filename="{id_}.jsonl"'}
    return Response(b"".join(lines), media_type="application/x-ndjson", headers=saved)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuery:
    """Which two."""

    a: str
    b: str


async def compare_deliberations(call: ApiCall) -> Response:
    query, ledger = call.query(CompareQuery), call.workspace.ledger
    ids = [await call.whole_id(named) for named in (query.a, query.b)]
    first, second = [judged_record((await look_up(ledger, id_)).record) for id_ in ids]
    return JsonResponse(comparison_document(first, second))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuery:
    """Since when."""

    since: Annotated[str | None, "A day such as 2026-11-01, or 36h, 7d, 4w."] = None


async def report_deliberations(call: ApiCall) -> Response:
    since = call.query(ReportQuery).since
    found = await report_ledger(call.workspace.ledger, None if since is None else begun_since(since))
    return JsonResponse(found.document())


OF_ONE: Final = "/api/deliberations/{id}"
Document = dict[str, Any]
OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/deliberations",
        about="List deliberations, newest first. Each that is listed is checked against its own words.",
        answer=list_deliberations,
        query=ListQuery,
        returns=RecordList,
        errors=(400,),
        narrow="narrow it with since, protocol or a smaller limit, or leave out search and state",
    ),
    Operation(
        method="GET",
        path=OF_ONE,
        about="One deliberation in any of its forms. As JSON it is what `quorate ask --json` prints, with `running` "
        "(some process is at work on it) and `trouble` (why this server could not go on, or null).",
        answer=show_deliberation,
        query=ShowQuery,
        returns=Document,
        also=("text/markdown", "text/html"),
        errors=(400, 404, 409),
        narrow="ask for the form minutes, which does not look at other records",
    ),
    Operation(
        method="GET",
        path=f"{OF_ONE}/entries",
        about="What was written after an entry.",
        answer=list_entries,
        query=AfterQuery,
        returns=EntryList,
        errors=(400, 404, 409),
    ),
    Operation(
        method="GET",
        path=f"{OF_ONE}/events",
        about="The same as it happens, as server-sent events; `Last-Event-ID` goes before `after`.",
        answer=follow_events,
        query=AfterQuery,
        returns="text/event-stream",
        headers={"Last-Event-ID": "The number of the last entry that is known."},
        errors=(400, 404, 409),
    ),
    Operation(
        method="GET",
        path=f"{OF_ONE}/asks",
        about="What people are asked for their seats and have not answered yet.",
        answer=list_asks,
        returns=list[OpenAsk],
        errors=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{OF_ONE}/verify",
        about="Check that the record is unchanged and its verdict holds.",
        answer=verify_deliberation,
        returns=Document,
        errors=(404, 409),
    ),
    Operation(
        method="GET",
        path=f"{OF_ONE}/export",
        about="The record as JSON lines, for `quorate import` and `quorate verify`.",
        answer=export_deliberation,
        returns="application/x-ndjson",
        errors=(404, 409),
    ),
    Operation(
        method="GET",
        path="/api/compare",
        about="How two deliberations differ.",
        answer=compare_deliberations,
        query=CompareQuery,
        returns=Document,
        errors=(400, 404, 409),
    ),
    Operation(
        method="GET",
        path="/api/report",
        about="What the ledger's deliberations came to and cost.",
        answer=report_deliberations,
        query=ReportQuery,
        returns=Document,
        errors=(400,),
        narrow="narrow it with since, such as since=7d",
    ),
)
