"""`make clients`: try the real agents, our wheel and two MCP clients; prints a table, and fails if a line does."""

import asyncio
import sys
from collections.abc import AsyncIterator

from tests.clients.hooks import check_hooks
from tests.clients.installed import install
from tests.clients.packages import check_codex_mcp, check_inspector, check_mcp, check_wheel
from tests.clients.panelists import check_panelists


async def checks() -> AsyncIterator[tuple[str, str, str]]:
    """Client, what was done, and what went wrong, if anything."""
    checks_of_all = (check_wheel(), check_mcp(), check_inspector(), check_codex_mcp(), check_panelists(), check_hooks())
    for checked in checks_of_all:
        async for line in checked:
            yield line


async def main() -> int:
    """0 if nothing went wrong.

    What begins with `seen` says what an agent does that we can't change; the pages say so, and if it fails they are out
    of date.
    """
    versions = await asyncio.to_thread(install)
    failures = lines = 0
    async for client, what, wrong in checks():
        lines += 1
        failures += bool(wrong)
        print(f"{client:9} {versions[client]:9} {what:66} {'FAILED: ' + wrong if wrong else 'ok'}", flush=True)  # noqa: T201
    print(f"{lines - failures} of {lines} ok")  # noqa: T201
    return min(failures, 1)


sys.exit(asyncio.run(main()))
