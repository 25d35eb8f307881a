"""Any endpoint that speaks OpenAI's chat completions: the wire format, and nothing of what the words mean."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from quorate import catalogue
from quorate.errors import PanelistError
from quorate.model import Ask, Reply
from quorate.panelists import Overheard, unheard
from quorate.panelists.completions import Stream, finish_of, message_of, reason_of, storable, text_of, usage_of
from quorate.panelists.failures import from_status, in_one_line, seconds_to_wait
from quorate.panelists.http import OK, Http, Received, Route
from quorate.panelists.price import Price

__all__ = ["Endpoint", "OpenAI", "Tuning"]

_ABOUT_FORMS: Final = (
    "response_format",
    "json_schema",
    "json_object",
    "schema",
    "structured output",
    "grammar",
    "guided",
)
_CAPS: Final = ("max_completion_tokens", "max_tokens")
_DECLINING: Final = ("support", "recogni", "permitted", "unknown", "unexpected", "instead", "extra", "forbidden")
_written: Final = json.JSONEncoder(separators=(",", ":")).encode
_TROUBLES: Final = range(400, 600)
_COMPLAINTS: Final = frozenset({400, 404, 415, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model at an address. `cap` is its first word for the most tokens it may answer; `variable` holds the key."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    variable: str = ""
    cap: str = "max_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How a seat's model is asked: the most tokens it may answer, and what is sent along only if given."""

    most: int = 4096
    temperature: float | None = None
    effort: str = ""


class OpenAI:
    """Answers for a seat from an OpenAI-compatible endpoint."""

    def __init__(
        self, endpoint: Endpoint, http: Http, tuning: Tuning | None = None, price: Price | None = None
    ) -> None:
        """A price makes money of the tokens; without one money stays unknown, unless the provider says it.

        Raises:
            BadSetting: there is a proxy on the way that we do not speak to.
        """
        self._endpoint = endpoint
        self._http = http
        self._price = price
        self._place = (endpoint.url, endpoint.model)
        self._always: dict[str, object] = {"model": endpoint.model}
        self._tuning = tuning or Tuning()
        if self._tuning.temperature is not None:
            self._always["temperature"] = self._tuning.temperature
        if self._tuning.effort:
            self._always["reasoning_effort"] = self._tuning.effort
        self._route = _route(endpoint, http)

    def __repr__(self) -> str:
        return f"OpenAI({self._route.who})"

    async def answer(self, ask: Ask, overheard: Overheard = unheard) -> Reply:
        """Ask for a chat completion, streamed if somebody listens.

        Raises:
            PanelistError: no reply can be had; `failures` says for which reasons.
        """
        began = perf_counter()
        schema: Mapping[str, object] = catalogue.load("form", ask.wants).schema(
            ask.mark, **({"options": ask.options} if ask.options else {})
        )
        while True:
            sent = self._wanted(ask, schema, streaming=overheard is not unheard)
            stream = Stream(overheard) if "stream" in sent else None
            body = _written(sent).encode()
            came = await self._http.post(self._route, body, stream.line if stream else None)
            if came.status not in _COMPLAINTS or not self._yields(sent, came):
                break
        said = self._closed(stream) if stream and came.streamed else self._opened(came)
        return self._reply(said, perf_counter() - began)

    def _wanted(self, ask: Ask, schema: Mapping[str, object], *, streaming: bool) -> dict[str, object]:
        """The request, without what this endpoint has declined before."""
        declined = self._http.declined.get(self._place, frozenset())
        wanted = {**self._always, "messages": [{"role": "user", "content": ask.prompt.template}]}
        caps = (self._endpoint.cap, *_CAPS)
        cap = next((name for name in caps if name not in declined), "")
        if cap:
            wanted[cap] = self._tuning.most
        if schema and "json_schema" not in declined:
            form = {"name": ask.wants, "strict": True, "schema": schema}
            wanted["response_format"] = {"type": "json_schema", "json_schema": form}
        elif schema and "json_object" not in declined:
            wanted["response_format"] = {"type": "json_object"}
        if streaming:
            wanted["stream"] = True
            if "stream_options" not in declined:
                wanted["stream_options"] = {"include_usage": True}
        return wanted

    def _yields(self, sent: Mapping[str, object], came: Received) -> bool:
        """Whether the endpoint declines something we can do without; if so, never send it there again."""
        reason = came.body[:4096].decode(errors="replace").casefold()
        unwanted = _declined(sent, reason)
        if unwanted:
            before = self._http.declined.get(self._place, frozenset())
            self._http.declined[self._place] = before | {unwanted}
        return bool(unwanted)

    def _opened(self, came: Received) -> object:
        """The JSON of a success."""
        if came.status != OK:
            reason = in_one_line(reason_of(came.body), self._endpoint.key)
            raise from_status(came.status, reason, self._route, seconds_to_wait(came.retry_after))
        try:
            return json.loads(came.body)
        except (ValueError, RecursionError):
            pass
        began = came.body.lstrip()[:1]
        cut = began in {b"{", b""}
        what = "JSON that breaks off or cannot be read" if cut else "something that is not JSON"
        advice = "" if cut else "; is the address right, with its /v1?"
        raise PanelistError("bad_reply", f"{self._route.who} answered with {what}{advice}", again=cut, billed=True)

    def _closed(self, stream: Stream) -> object:
        """What a stream came to."""
        said = stream.completion()
        if said is None:
            why = f"{self._route.who} ended its stream before its reply"
            raise PanelistError("bad_reply", why, again=True, billed=True)
        return said

    def _reply(self, said: object, took: float) -> Reply:
        if not isinstance(said, dict):
            raise self._no_completion()
        match said.get("choices"):
            case [{"message": {} as message} as choice, *_]:
                error = choice.get("error")
            case _:
                choice, message, error = {}, {}, said.get("error")
        if error:
            raise self._mishap(error)
        if not choice:
            raise self._no_completion()
        refused = text_of(message.get("refusal"))
        return Reply(
            text=storable(refused or text_of(message.get("content"))),
            model=self._who_answered(said.get("model")),
            finish="refusal" if refused else finish_of(choice.get("finish_reason")),
            usage=usage_of(said.get("usage"), self._price),
            took=round(took * 1000),
        )

    def _who_answered(self, model: object) -> str:
        asked = self._endpoint.model
        return asked if model == asked else in_one_line(text_of(model), self._endpoint.key) or asked

    def _no_completion(self) -> PanelistError:
        return PanelistError(
            "bad_reply", f"{self._route.who} answered with JSON that is no chat completion", billed=True
        )

    def _mishap(self, error: object) -> PanelistError:
        """An error inside a success, as gateways send them when the model behind them fails."""
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and code in _TROUBLES else _TROUBLES[-1]
        failure = from_status(status, in_one_line(message_of(error), self._endpoint.key), self._route)
        failure.billed = True
        return failure


def _route(endpoint: Endpoint, http: Http) -> Route:
    url = f"{endpoint.url.rstrip('/')}/chat/completions"
    headers = {
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "quorate",
    }
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    host = url.split("/")[2]
    advice = f"check {endpoint.variable}" if endpoint.key else f"set {endpoint.variable}"
    return Route(
        url=url,
        headers=headers,
        who=f"{endpoint.model!r} at {host}",
        advice=advice if endpoint.variable else "it wants another key",
        proxy=http.proxy(url),
    )


def _declined(sent: Mapping[str, object], reason: str) -> str:
    """Which part of the request a complaint is about, if it is one that can be left out."""
    if "stream_options" in sent and "stream_options" in reason:
        return "stream_options"
    cap = next((name for name in _CAPS if name in sent), "")
    if cap and cap in reason and any(word in reason for word in _DECLINING):
        return cap
    form = sent.get("response_format")
    if isinstance(form, dict) and any(words in reason for words in _ABOUT_FORMS):
        return str(form["type"])
    return ""
