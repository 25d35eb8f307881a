"""A panelist of another package: whatever goes wrong in its code is that seat's silence and nobody else's trouble."""

from dataclasses import replace
from time import perf_counter

from quorate.errors import BadPlugin, PanelistError
from quorate.model import Ask, Reply
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.http.client import Http
from quorate.panelists.http.reply_fields import storable
from quorate.panelists.http.wire_format import Endpoint, SamplingOptions
from quorate.panelists.price import Price
from quorate.panelists.provider_table import PanelistMaker
from quorate.plugins import blame_package

__all__ = ["AddedPanelist", "open_added"]

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
