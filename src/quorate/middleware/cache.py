"""Replies to asks that are equal in every byte, kept so that the same is not bought twice. Off unless asked for.

Equal means: the same model with the same settings, the same prompt, the same form, the same closed list. A ballot paper
bears a mark drawn anew for every deliberation, seat, round and attempt, and quotations stand between fences drawn the
same way. So what bears either finds nothing of another deliberation, and no seat is given the ballot of another.
"""

import json
import os
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from quorate.errors import BadSetting
from quorate.middleware.provider_limits import MEMORY, OFF
from quorate.model import Ask, Reply, Usage
from quorate.panelists import Panelist, WordListener, ignore_words

__all__ = ["CachedPanelist", "ReplyCache", "cache_of"]

NOTHING: Final = Usage(asked=0, answered=0, money=Fraction(0))
MOST: Final = 10_000
"""Replies kept at most; the oldest go first."""


class ReplyCache:
    """Replies by what was asked, in memory and, if a file is named, a line each in it."""

    def __init__(self, file: str = "") -> None:
        """Read what the file holds; a line that cannot be read is passed over, it costs a call and nothing else.

        Raises:
            BadSetting: the file can be neither read nor made.
        """
        self._file = file
        self._kept: dict[str, Reply] = {}
        if file:
            try:
                made = os.open(file, os.O_RDONLY | os.O_CREAT, 0o600)  # others' words are nobody else's business
                with os.fdopen(made, encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        self._take(line)
            except OSError as wrong:
                raise BadSetting(f"the cache {file!r} cannot be used: {wrong.strerror}; name another file") from wrong

    def _take(self, line: str) -> None:
        try:
            kept: Any = json.loads(line)
            reply = Reply(text=kept["text"], model=kept["model"], usage=NOTHING)
            key = kept["key"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        if all(isinstance(part, str) for part in (key, reply.text, reply.model)):
            self._keep(key, reply)

    def _keep(self, key: str, reply: Reply) -> None:
        self._kept[key] = reply
        if len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]

    def find(self, key: str) -> Reply | None:
        """What was answered to the same before; it cost nothing now."""
        return self._kept.get(key)

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply that was complete; that the disk is full takes nothing from the deliberation."""
        if reply.finish != "stop" or not reply.text.strip():
            return
        self._keep(key, Reply(text=reply.text, model=reply.model, usage=NOTHING))
        if self._file:
            line = json.dumps({"key": key, "model": reply.model, "text": reply.text})
            try:
                with Path(self._file).open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
            except OSError:
                self._file = ""


class CachedPanelist:
    """Answers from the cache where it can. `sent` is told of every ask all the same: its prompt belongs on record."""

    def __init__(self, panelist: Panelist, cache: ReplyCache, model: str, sent: Callable[[Ask], None]) -> None:
        self._panelist = panelist
        self._cache = cache
        self._model = model
        self._sent = sent

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer, from the cache or from the panelist.

        Raises:
            PanelistError: what the panelist raises.
        """
        key = _key(self._model, ask)
        known = self._cache.find(key)
        if known is not None:
            self._sent(ask)
            overheard(known.text)
            return known
        reply = await self._panelist.answer(ask, overheard)
        self._cache.keep(key, reply)
        return reply


def _key(model: str, ask: Ask) -> str:
    return sha256(json.dumps([model, ask.prompt.template, ask.wants, ask.options, ask.mark]).encode()).hexdigest()


def cache_of(setting: str) -> ReplyCache | None:
    """The cache that a setting names.

    Raises:
        BadSetting: its file can be neither read nor made.
    """
    if setting in {OFF, ""}:
        return None
    return ReplyCache() if setting == MEMORY else ReplyCache(setting)
