"""What providers of other packages are made with, and what is put around them."""

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from quorate.errors import BadPlugin, PanelistError
from quorate.model import Ask, Reply
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.http.client import OK, Http, Route
from quorate.panelists.http.failures import from_status, in_one_line, seconds_to_wait
from quorate.panelists.http.reply_fields import load_json, reason_of, storable, write_json
from quorate.panelists.http.wire_format import Endpoint, SamplingOptions
from quorate.panelists.price import Price
from quorate.panelists.provider_table import PanelistMaker
from quorate.plugins import blame_package

__all__ = ["AddedPanelist", "JsonEndpoint", "open_added"]

EndpointTerms = tuple[Endpoint, Http, SamplingOptions | None, Price | None]


def open_added(maker: PanelistMaker, where: str, *about: *EndpointTerms) -> Panelist:
    """Have another package make a panelist; `where` names the provider and its package in messages.

    Raises:
        BadPlugin: its code fails.
    """
    with blame_package(f"{where} cannot be opened"):
        return AddedPanelist(maker(*about), where)


class AddedPanelist:
    """Passes asks on to a panelist whose code is not ours, and checks what comes back."""

    def __init__(self, panelist: Panelist, where: str) -> None:
        """`where` names the provider and its package in messages."""
        self._panelist = panelist
        self._where = where

    def __repr__(self) -> str:
        return f"AddedPanelist({self._where})"

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer as the panelist does.

        Raises:
            PanelistError: it raised one, or anything else, or what it returned is no reply.
        """
        began = perf_counter()
        try:
            with blame_package(self._where):
                reply: object = await self._panelist.answer(ask, overheard)
        except BadPlugin as wrong:
            failed = f"{self._where} failed: {type(wrong.__cause__).__name__}"
        else:
            if isinstance(reply, Reply):
                took = reply.took or round((perf_counter() - began) * 1000)
                return replace(reply, text=storable(str(reply.text)), took=took)
            failed = f"{self._where} returned no Reply"
        # Raised outside the handler: what other people's code raises may hold a key.
        raise PanelistError("bad_reply", failed, billed=True)


class JsonEndpoint:
    """Posts JSON to one path of a model's endpoint, over the session that all providers share.

    Proxies, certificates, the limit on size and the words for each failure are the same as for our own providers.
    """

    def __init__(self, endpoint: Endpoint, http: Http, path: str, headers: Mapping[str, str] | None = None) -> None:
        """`path` goes behind the endpoint's address, so a key in `headers` can reach no other server.

        Raises:
            BadSetting: there is a proxy on the way of a kind that is not supported.
        """
        self._key = endpoint.key
        self._http = http
        url = f"{endpoint.url.rstrip('/')}/{path.lstrip('/')}"
        advice = f"{'check' if endpoint.key else 'set'} {endpoint.variable}"
        if endpoint.held:
            advice = f"{endpoint.variable} was held back; to send it there, set allow_keys to {endpoint.held}"
        self._route = Route(
            url=url,
            headers=dict(headers or {}),
            who=f"{endpoint.model!r} at {url.split('/')[2]}",
            advice=advice,
            proxy=http.proxy(url),
        )

    async def post(self, document: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
        """Send a document and give back the JSON that came.

        Raises:
            PanelistError: no reply came, or none that can be read; it says whether to try again.
        """
        came = await self._http.post(self._route, write_json(document))
        if came.status != OK:
            reason = in_one_line(reason_of(came.body), self._key)
            raise from_status(came.status, reason, self._route, seconds_to_wait(came.retry_after))
        try:
            return load_json(came.body)
        except (ValueError, RecursionError):
            # Raised below, outside: the error of the parser quotes the reply and must not hang on as the context.
            pass
        raise PanelistError("bad_reply", f"{self._route.who} answered with something that is not JSON", billed=True)
