"""Stands between a client and a server on loopback: passes on, waits, hangs, or cuts."""

import asyncio
import threading
from contextlib import suppress


class TcpProxy:
    """On a thread of its own; may be told from any other what to do."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._ready = threading.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self._flows: asyncio.Event
        self.latency = 0.0
        """Seconds that every piece is late, in either direction."""
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)
        self._thread.start()
        self._ready.wait()

    def cut(self) -> None:
        """End every connection, and refuse new ones."""
        self._tell(self._cut)

    def hang(self) -> None:
        """Keep every connection and pass nothing on, as a network does that loses all."""
        self._tell(self._flows.clear)

    def mend(self) -> None:
        """Pass on again; what hung before is lost."""
        self._tell(self._mend)

    def close(self) -> None:
        self._tell(self._end.set)
        self._thread.join()
        self._loop.close()

    def _tell(self, what: object) -> None:
        done = threading.Event()

        def do() -> None:
            assert callable(what)
            what()
            done.set()

        self._loop.call_soon_threadsafe(do)
        done.wait()

    def _cut(self) -> None:
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def _mend(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._is_cut = False
        self._flows.set()

    def _refuses(self) -> bool:
        return self._is_cut

    async def _serve(self) -> None:
        self._flows, self._end = asyncio.Event(), asyncio.Event()
        self._flows.set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        self._cut()
        await asyncio.gather(*(task for task in asyncio.all_tasks() if task is not asyncio.current_task()))

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses():
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            writer.transport.abort()
            return
        if self._refuses():  # meanwhile
            writer.transport.abort()
            back.transport.abort()
            return
        self._writers |= {writer, back}
        await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        self._writers -= {writer, back}

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                await asyncio.sleep(self.latency)
                await self._flows.wait()
                writer.write(piece)
                await writer.drain()
        writer.transport.abort()
