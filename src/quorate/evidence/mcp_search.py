"""Any search server that speaks the Model Context Protocol: a command or an address, its tool, and its argument."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quorate.errors import BadSetting
from quorate.evidence.search_servers import PATIENCE, sources_in
from quorate.evidence.source_document import LONGEST, Document, web_address

__all__ = ["VARIABLE", "McpServer"]

VARIABLE: Final = "QUORATE_SEARCH_MCP"
PARTS: Final = 3
LARGEST: Final = 4 * 2**20
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'\])]+")
_BREAK: Final = re.compile(r"\n\s*\n|^-{3,}$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server by its command or address. The command stands in the environment alone: no record can start anything."""

    tool: str
    argument: str
    command: tuple[str, ...] = field(repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "McpServer":
        """Read QUORATE_SEARCH_MCP: the tool, its argument, and a command or an address.

        Raises:
            BadSetting: it is not set or cannot be read, or the extra is missing.
        """
        try:
            words = shlex.split(env.get("QUORATE_SEARCH_MCP", ""))
        except ValueError as wrong:
            raise BadSetting(f"{VARIABLE}: {wrong}") from None
        if len(words) < PARTS:
            raise BadSetting(
                f"search = mcp needs {VARIABLE}: the tool, its argument, and the command or address of the server, "
                f"for instance export {VARIABLE}='search query npx -y some-search-server'"
            )
        try:
            import mcp  # noqa: F401, PLC0415  an extra
        except ImportError:
            raise BadSetting("search = mcp needs an extra: pip install 'quorate[mcp]'") from None
        return cls(tool=words[0], argument=words[1], command=tuple(words[2:]), env=env)

    @property
    def name(self) -> str:
        return f"mcp {self.tool}"

    async def search(self, query: str, most: int) -> Sequence[Document]:
        """Call the tool once.

        Raises:
            OSError: it cannot be started or reached, or it says that it failed.
            ValueError: it gives nothing that has an address.
        """
        said = await self._called(query)
        found = list(_told(said))
        if not found and said:
            raise ValueError(f"{self.name} named no addresses, so nothing of it can be cited")
        return found[:most]

    async def _called(self, query: str) -> list[object]:
        from mcp import Client, MCPError, StdioServerParameters  # noqa: PLC0415

        first = self.command[0]
        where: Any = (
            first
            if first.startswith(("http://", "https://"))
            else StdioServerParameters(command=first, args=list(self.command[1:]), env=dict(self.env))
        )
        faults = (MCPError, OSError, TimeoutError, ValueError, RuntimeError)
        try:
            async with Client(where, read_timeout_seconds=PATIENCE) as client:
                came = await client.call_tool(self.tool, {self.argument: query})
        except faults as wrong:
            raise OSError(f"{self.name} cannot be asked: {type(wrong).__name__}: {str(wrong)[:200]}") from None
        except ExceptionGroup as several:
            raise OSError(f"{self.name} cannot be asked: {str(several.exceptions[0])[:200]}") from None
        texts = [str(getattr(part, "text", "")) for part in came.content]
        if came.is_error:
            raise OSError(f"{self.name} says that it failed: {' '.join(texts)[:200]}")
        return [came.structured_content, *texts] if came.structured_content else list(texts)


def _told(parts: Sequence[object]) -> Iterator[Document]:
    """Sources in what a tool gave: lists of objects wherever they stand, else text with addresses in it."""
    for part in parts:
        found = part
        if isinstance(part, str):
            try:
                found = json.loads(part[:LARGEST])
            except (ValueError, RecursionError):
                found = part
        listed = sources_in(_list(found)) if not isinstance(found, str) else list(_blocks(found[:LARGEST]))
        yield from listed
        if listed and not isinstance(part, str):
            return  # the texts beside it say the same once more


def _list(told: object) -> object:
    """The first list of objects in what was told, at most three steps down."""
    for _ in range(PARTS):
        if isinstance(told, list):
            return told
        if isinstance(told, dict):
            if "url" in told:
                return [told]
            told = next((value for value in told.values() if isinstance(value, list | dict)), None)
    return told


def _blocks(text: str) -> Iterator[Document]:
    """Text as servers write it for people: a block for each source, each with its address."""
    for block in _BREAK.split(text):
        found = _ADDRESS.search(block)
        if found:
            lines = [line.strip() for line in block.splitlines() if line.strip()]
            title = re.sub(r"^\W*(?:\d+[.)]|title:)?\s*", "", lines[0], flags=re.IGNORECASE)
            yield Document(
                url=web_address(found[0].rstrip(".,;")), title=title[:300], text=block.strip()[: 3 * LONGEST]
            )
