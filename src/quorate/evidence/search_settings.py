"""What sources may be found by: the settings of a deliberation, and what the environment adds to them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Final

from quorate.frozen import dataclass

__all__ = ["PASSAGES", "SEARCHING", "Note", "SearchSettings"]

Note = Callable[[str], None]
"""Somebody who is told what takes long, and what was not read."""
PASSAGES: Final = 50
SEARCHING: Final = frozenset({"sources", "search", "fetch", "credibility", "passages"})
"""The settings it is made of; without any of them there is nothing to see to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Where to look. Keys, addresses of servers and commands stand in the environment alone, never in a record."""

    sources: tuple[Path, ...] = ()
    search: str = "none"
    fetch: bool = False
    credibility: Path | None = None
    most: int = PASSAGES
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    note: Note | None = field(default=None, repr=False)
    until: float | None = None
    """When the deliberation's time is over, on the event loop's clock."""

    @classmethod
    def of(cls, settings: Mapping[str, str], env: Mapping[str, str], note: Note | None = None) -> "SearchSettings":
        """Read the settings that a protocol has accepted."""
        number = settings.get("passages", "")
        return cls(
            sources=tuple(Path(text) for text in settings.get("sources", "").split(os.pathsep) if text),
            search=settings.get("search", "none").casefold(),
            fetch=settings.get("fetch", "").casefold() in {"true", "yes", "on"},
            credibility=Path(settings["credibility"]) if settings.get("credibility") else None,
            most=int(number) if number.isdecimal() else PASSAGES,
            env=env,
            note=note,
        )

    def check(self) -> None:
        """See before anything is spent that all of it is there.

        Raises:
            BadSetting: a source, a table or a server's address or key is missing, with what to do.
        """
        if self.sources:
            from quorate.evidence.file_walk import check_sources  # noqa: PLC0415  only who has sources pays
            from quorate.evidence.source_file import check_list  # noqa: PLC0415

            check_sources(self.sources)
            for path in self.sources:
                if path.suffix.casefold() == ".json" and path.is_file():
                    check_list(path)
        if self.credibility is not None:
            from quorate.evidence.credibility import table_of  # noqa: PLC0415

            table_of(self.credibility)
        if self.search != "none":
            from quorate.evidence.search_servers import server_of  # noqa: PLC0415

            server_of(self.search, self.env)

    @property
    def cache(self) -> Path | None:
        """Where the index of these sources is kept; None where there is no home to keep it in."""
        given, home = self.env.get("XDG_CACHE_HOME", ""), self.env.get("HOME", "")
        # The XDG base directories say that a relative one is to be ignored.
        base = Path(given) if given.startswith("/") else Path(home) / ".cache" if home.startswith("/") else None
        named = sha256("\0".join(sorted(str(path.absolute()) for path in self.sources)).encode("utf-8", "replace"))
        return base / "quorate" / "sources" / f"{named.hexdigest()[:32]}.db" if base else None

    def tell(self, said: str) -> None:
        if self.note is not None:
            self.note(said)
