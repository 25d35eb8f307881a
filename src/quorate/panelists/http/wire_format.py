"""What the wire formats over HTTP have in common: one request, what an endpoint declines, and what its errors mean."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from secrets import token_hex
from time import perf_counter
from typing import Any, ClassVar, Final

from quorate import catalogue
from quorate.errors import PanelistError, PartDeclined
from quorate.frozen import dataclass, fast_init
from quorate.model import Ask, Finish, Reply, Usage
from quorate.model.ballot import Enforcement
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.http.client import OK, Http, HttpResponse, Route
from quorate.panelists.http.failures import from_status, in_one_line, seconds_to_wait
from quorate.panelists.http.finishes import FailedFinish
from quorate.panelists.http.lookup_tools import ABOUT_TOOLS, DECLINED, ToolCall, offers_lookups, read_calls
from quorate.panelists.http.reply_fields import (
    is_error,
    load_json,
    message_of,
    reason_of,
    storable,
    text_of,
    write_json,
)
from quorate.panelists.http.sse import Stream
from quorate.panelists.http.tokens import largest, longest, usual
from quorate.panelists.price import Price

__all__ = ["ABOUT_FORMS", "Endpoint", "SamplingOptions", "Wire", "WireReply", "declines_any"]

ABOUT_FORMS: Final = (
    "response_format",
    "json_schema",
    "json_object",
    "schema",
    "structured output",
    "grammar",
    "guided",
)
"""Words in a complaint by which an endpoint shows that it cannot enforce a form."""

_DECLINING: Final = (
    "support",
    "recogni",
    "permitted",
    "unknown",
    "unexpected",
    "instead",
    "extra",
    "forbidden",
    "deprecated",
)
"""Words by which an endpoint shows that it does not take something, rather than that it wants another value."""

UNKNOWN: Final = Usage()
_TROUBLES: Final = range(400, 600)
_ANY_PROMPT: Final = token_hex(16)
_ANY_MARK: Final = token_hex(6)
"""What stands in a request until its own is put in; drawn, so that nobody's words can be taken for it."""
_BLANKS: Final = 256
"""Requests that are kept ready for one model; every closed list of options needs its own."""
_COMPLAINTS: Final = frozenset({400, 404, 415, 422})
_NAMED: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "RESOURCE_EXHAUSTED": 429,
    "api_error": 500,
    "server_error": 500,
    "UNAVAILABLE": 503,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that an error would have had, had it not come within a success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model at an address. `cap` is its first word for the most tokens it may answer; `variable` holds the key.

    `held` is the pair of key and place that nobody allowed, if there is a key that was not sent.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    variable: str = ""
    held: str = ""
    cap: str = "max_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingOptions:
    """How a seat's model is asked: the most tokens it may answer, and what is sent along only if given."""

    most: int = 4096
    temperature: float | None = None
    effort: str = ""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class WireReply:
    """A success as its format means it; an error may hide in one."""

    text: str = ""
    finish: Finish = "stop"
    model: object = ""
    usage: Usage = UNKNOWN
    error: object = None
    calls: tuple[ToolCall, ...] = ()


def declines_any(names: Iterable[str], reason: str) -> str:
    """Which of these a complaint is about, if it says that it is not taken."""
    named = next((name for name in names if name in reason), "")
    return named if any(word in reason for word in _DECLINING) else ""


def _with_calls(reply: WireReply, ask: Ask) -> WireReply:
    """The reply with its tool calls written as the lines that ask for a lookup."""
    lines, others = read_calls(reply.calls, ask)
    # What a model would have done with a tool that nobody offered is unknown, whatever its words say. Some providers
    # call that a clean end; here it is none, so no words beside it approve.
    finish: Finish = "length" if others and reply.finish == "stop" else reply.finish
    if not lines:
        return replace(reply, finish=finish)
    # No format calls a tool call a clean end, so it reads as cut off. Words beside it may really have been cut off, and
    # whoever wants to see something first has not approved yet. A refusal or a filter stays what it is.
    if finish == "length" and not reply.text.strip():
        finish = "stop"
    return replace(reply, text=f"{reply.text}\n{lines}".strip(), finish=finish)


def _cut_off(said: WireReply, most: int) -> WireReply:
    """As much of a reply as it was allowed; what came beyond that is not kept, but counted.

    What a stream reported before it was cut off is no report of all it wrote.
    """
    seen, usage = usual(said.text), said.usage
    if usage.answered is None or usage.answered < seen:
        usage = replace(usage, answered=seen if len(said.text) > most else None, money=None)
    finish: Finish = "length" if said.finish == "stop" else said.finish
    return replace(said, text=said.text[:most], finish=finish, usage=usage)


@dataclass(frozen=True, slots=True)
class RequestBlank:
    """A request in bytes, cut where its prompt stands, and on both sides wherever its mark does."""

    before: tuple[bytes, ...]
    after: tuple[bytes, ...]

    @classmethod
    def of(cls, whole: bytes, mark: str) -> "RequestBlank | None":
        """Cut a request that was written for any prompt and any mark; none if the prompt is not there just once."""
        before, *after = whole.split(write_json(_ANY_PROMPT))
        if len(after) != 1:
            return None
        cut = mark.encode()
        return cls(*(tuple(part.split(cut)) if cut else (part,) for part in (before, after[0])))

    def filled(self, mark: str, content: object) -> bytes:
        """The request for this prompt, under this mark."""
        put_in = mark.encode()
        return b"".join((put_in.join(self.before), write_json(content), put_in.join(self.after)))


class Wire(ABC):
    """Answers for a seat from an endpoint; each format says how it asks and what came back."""

    what: ClassVar[str] = "chat completion"

    def __init__(
        self, endpoint: Endpoint, http: Http, tuning: SamplingOptions | None = None, price: Price | None = None
    ) -> None:
        """A price makes money of the tokens; without one money stays unknown, unless the provider says it.

        Raises:
            BadSetting: there is a proxy on the way that we do not speak to.
        """
        self._endpoint = endpoint
        self._http = http
        self._price = price
        self._tuning = tuning or SamplingOptions()
        self._longest = longest(self._tuning.most)
        self._route = self._way(self._url(streaming=False))
        self._place = (self._route.url, endpoint.model)
        self._streams = self._way(self._url(streaming=True))
        self._blanks: dict[tuple[object, ...], RequestBlank | None] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._route.who})"

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Ask once, with the words streamed if somebody listens.

        Raises:
            PartDeclined: the endpoint does not take something we can do without.
            PanelistError: no reply can be had; `failures` says for which reasons.
        """
        began = perf_counter()
        declined = self._http.declines.at(self._place)
        streaming = overheard is not ignore_words and "stream" not in declined
        stream = self._stream(overheard) if streaming else None
        content = self._content(ask.prompt.template, declined)
        body = self._written(ask, content, declined, streaming=streaming)
        route, line = (self._streams, stream.line) if stream else (self._route, None)
        came = await self._http.post(route, body, line)
        if came.status in _COMPLAINTS:
            self._heed(self._request(ask, content, declined, streaming=streaming), came, streaming=streaming)
        said = self._closed(stream) if stream and came.streamed else self._opened(came)
        reply = self._reply(ask, said, perf_counter() - began, cut=stream is not None and stream.cut)
        free = ask.lookups or not catalogue.form(ask.wants).schema(ask.terms(ask.mark))
        return replace(reply, enforced_by="" if free else self._enforced_by(declined))

    def _request(self, ask: Ask, content: object, declined: frozenset[str], *, streaming: bool) -> dict[str, Any]:
        """The request, its prompt as `content`, without what this endpoint has declined before."""
        # What a schema lets through whole is the seat's own ballot without a mark. Words may stand beside a tool call,
        # and beside what was looked up, so there the mark still says whose it is.
        bare = not ask.lookups and self._enforced_by(declined) == "schema"
        schema = catalogue.form(ask.wants).schema(ask.terms("" if bare else ask.mark))
        if ask.lookups:
            # Who is held to a form cannot ask to see anything, unless tools may be called beside it.
            offered = DECLINED not in declined
            held = schema if offered and self._takes_tools_beside_form(declined) else {}
            wanted = self._wanted(ask.wants, content, held, declined) | (self._lookup_tools() if offered else {})
        else:
            wanted = self._wanted(ask.wants, content, schema, declined)
        return wanted | self._streaming(declined) if streaming else wanted

    def _written(self, ask: Ask, content: object, declined: frozenset[str], *, streaming: bool) -> bytes:
        """The request in bytes: all but its prompt and its mark is written once for all that are alike."""
        may = ("veto" in ask.seat.powers, bool(ask.lookups))
        kind = (ask.wants, ask.options, may, ask.mark.isalnum(), declined, streaming)
        blank = self._blanks.get(kind)
        if blank is not None and (ask.mark.isalnum() or not ask.mark):
            return blank.filled(ask.mark, content)
        whole = write_json(self._request(ask, content, declined, streaming=streaming))
        if kind not in self._blanks:
            mark = _ANY_MARK if ask.mark else ""
            alike = self._request(replace(ask, mark=mark), _ANY_PROMPT, declined, streaming=streaming)
            made = RequestBlank.of(write_json(alike), mark)
            if len(self._blanks) >= _BLANKS:
                self._blanks.clear()
            self._blanks[kind] = made if made and made.filled(ask.mark, content) == whole else None
        return whole

    @abstractmethod
    def _url(self, *, streaming: bool) -> str:
        """Where requests go."""

    @abstractmethod
    def _headers(self, key: str) -> dict[str, str]:
        """How the key is sent, and what else the format wants in a head."""

    def _content(self, prompt: str, declined: frozenset[str]) -> object:
        """The prompt as it stands in a request."""
        del declined
        return prompt

    @abstractmethod
    def _wanted(
        self, wants: str, content: object, schema: Mapping[str, object], declined: frozenset[str]
    ) -> dict[str, Any]:
        """The request for an answer in a form, without what this endpoint has declined before."""

    @abstractmethod
    def _enforced_by(self, declined: frozenset[str]) -> Enforcement:
        """By what this endpoint lets nothing but a form through, where it does."""

    @abstractmethod
    def _lookup_tools(self) -> dict[str, Any]:
        """What offers the tools for looking something up."""

    def _takes_tools_beside_form(self, declined: frozenset[str]) -> bool:
        """Whether a reply may be held to a form and call a tool instead."""
        del declined
        return False

    def _streaming(self, declined: frozenset[str]) -> dict[str, Any]:
        """What makes a request one for a stream."""
        del declined
        return {"stream": True}

    @abstractmethod
    def _declines(self, sent: Mapping[str, Any], reason: str) -> str:
        """Which part of the request a complaint is about, if it is one that can be left out."""

    @abstractmethod
    def _stream(self, overheard: WordListener) -> Stream:
        """What puts a stream together."""

    @abstractmethod
    def _meant(self, said: dict[str, Any]) -> WireReply | None:
        """What a success means; none if it is no reply of this format."""

    def _trouble(self, came: HttpResponse) -> PanelistError:
        """What a status other than success means."""
        reason = in_one_line(reason_of(came.body), self._endpoint.key)
        return from_status(came.status, reason, self._route, seconds_to_wait(came.retry_after))

    def _way(self, url: str) -> Route:
        there = self._endpoint
        advice = f"check {there.variable}" if there.key else f"set {there.variable}"
        if there.held:
            advice = f"{there.variable} was held back; to send it there, set allow_keys to {there.held}"
        return Route(
            url=url,
            headers=self._headers(there.key),
            who=f"{there.model!r} at {url.split('/')[2]}",
            advice=advice if there.variable else "it wants another key",
            proxy=self._http.proxy(url),
            most=largest(self._tuning.most),
        )

    def _heed(self, sent: Mapping[str, Any], came: HttpResponse, *, streaming: bool) -> None:
        """If the endpoint declines something in this request that we can do without, never send it there again.

        Others may have sent the same meanwhile and learn of it each for itself, so what counts is what was sent.

        Raises:
            PartDeclined: it does; whoever tries again asks without it.
        """
        reason = came.body[:4096].decode(errors="replace").casefold()
        about_tools = offers_lookups(sent) and any(word in reason for word in ABOUT_TOOLS)
        unwanted = DECLINED if about_tools else self._declines(sent, reason)
        if not unwanted and streaming and declines_any(("stream",), reason):
            unwanted = "stream"
        if unwanted:
            self._http.declines.add(self._place, unwanted)
            raise PartDeclined(f"{self._route.who} declines {unwanted}")

    def _load(self, body: bytes) -> object:
        return load_json(body)

    def _opened(self, came: HttpResponse) -> object:
        """The JSON of a success."""
        if came.status != OK:
            raise self._trouble(came)
        try:
            return self._load(came.body)
        except (ValueError, RecursionError):
            pass
        cut = came.body.lstrip()[:1] in {b"{", b""}
        what = "JSON that breaks off or cannot be read" if cut else "something that is not JSON"
        advice = "" if cut else "; is the address right, with its /v1?"
        raise PanelistError("bad_reply", f"{self._route.who} answered with {what}{advice}", again=cut, billed=True)

    def _closed(self, stream: Stream) -> object:
        """What a stream came to."""
        said = stream.completion()
        if said is None:
            what = "sent an event that cannot be read" if stream.broken else "ended its stream before its reply"
            raise PanelistError("bad_reply", f"{self._route.who} {what}", again=True, billed=True)
        return said

    def _reply(self, ask: Ask, said: object, took: float, *, cut: bool) -> Reply:
        if isinstance(said, dict) and is_error(said):
            raise self._mishap(said.get("error") or said)
        meant = self._meant(said) if isinstance(said, dict) else None
        if meant is None:
            why = f"{self._route.who} answered with JSON that is no {self.what}"
            raise PanelistError("bad_reply", why, billed=True)
        if meant.error:
            raise self._mishap(meant.error)
        if meant.calls:
            meant = _with_calls(meant, ask)
        if cut or len(meant.text) > self._longest:
            meant = _cut_off(meant, self._longest)
        return Reply(
            text=storable(meant.text),
            model=self._who_answered(meant.model),
            finish=meant.finish,
            usage=meant.usage,
            took=round(took * 1000),
        )

    def _who_answered(self, model: object) -> str:
        asked = self._endpoint.model
        return asked if model == asked else in_one_line(text_of(model), self._endpoint.key) or asked

    def _mishap(self, error: object) -> PanelistError:
        """An error inside a success, as gateways and streams bring them when the model behind them fails."""
        named = [error.get(name) for name in ("code", "status", "type")] if isinstance(error, dict) else []
        codes = (_NAMED.get(one) if isinstance(one, str) else one for one in named)
        status = next((code for code in codes if isinstance(code, int) and code in _TROUBLES), None)
        if status is None:
            reason = in_one_line(message_of(error), self._endpoint.key)
            told = (
                f"ended its reply with {str(error)!r}"
                if isinstance(error, FailedFinish)
                else f"sent an error as its reply{f': {reason}' if reason else ''}"
            )
            return PanelistError("server_error", f"{self._route.who} {told}", again=True, billed=True)
        failure = from_status(status, in_one_line(message_of(error), self._endpoint.key), self._route)
        failure.billed = True
        return failure
