"""One JSON request and its JSON reply, for providers of other packages whose wire format is their own."""

from collections.abc import Mapping
from typing import Any

from quorate.errors import PanelistError
from quorate.panelists.http.client import OK, Http, Route
from quorate.panelists.http.failures import from_status, in_one_line, seconds_to_wait
from quorate.panelists.http.reply_fields import load_json, reason_of, write_json
from quorate.panelists.http.wire_format import Endpoint

__all__ = ["JsonEndpoint"]


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
            advice = f"{endpoint.variable} was held back; to send it there: --allow-key {endpoint.held}"
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
