"""A command-line tool that answers for a seat: the prompt on its standard input, its words on its standard output.

It starts with fixed arguments, in an empty folder, with the few variables it needs and no key among them; it is logged
in by its own means or not at all. `idle` is how long it may write nothing, `total` how long it may take.
"""

import asyncio
import codecs
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import BinaryIO, Final, Literal

from quorate.errors import NoModel, PanelistError
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.cli.tools import Tool, find_tool, plain
from quorate.panelists.cli.watchdog import MARK, kill_strays
from quorate.panelists.cli.workspace import Workspace
from quorate.panelists.http.client import MIB
from quorate.panelists.http.failures import in_one_line
from quorate.panelists.http.file_shortage import is_short, pause
from quorate.panelists.model_options import Options

__all__ = ["GRACE", "PASSED_ON", "CommandLine", "environment"]

CHUNK: Final = 65536
KEPT: Final = 8192
POLL: Final = 0.02
AGAIN: Final = 0.2
REAPED: Final = 2.0

Gone = Literal["", "idle", "total"]


class Child:
    """A running command, which cannot outlive whoever asked it: a session of its own, killed whole, its output bounded.

    `out` is all it wrote, `err` the last of its complaints, `ended` holds its exit code.
    """

    def __init__(  # noqa: PLR0913 - what a process is made of
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        workspace: Workspace,
        prompt: bytes,
        most: int,
        hear: Callable[[bytes], None],
    ) -> None:
        """Start it, with the prompt on its standard input; the watchdog of its workspace ends it should we die.

        Raises:
            OSError: it cannot be started.
        """
        self._loop = asyncio.get_running_loop()
        self._most = most
        self._hear = hear
        self._workspace = workspace
        self._mark = os.fsencode(workspace.mark)
        self._again = False
        self.out, self.err, self.full = bytearray(), bytearray(), False
        self.ended: asyncio.Future[int] = self._loop.create_future()
        self._touched = self._loop.time()
        workspace.runs()
        try:
            with _readable(prompt) as stdin:
                self._process = _begun(argv, stdin, cwd, {**env, MARK: workspace.mark})
        except OSError:
            workspace.over()
            raise
        workspace.runs(self._process.pid)
        self._pipes = self._listening()
        self._watch()

    async def end(self, idle: float, total: float) -> Gone:
        """Wait until it has ended, or been quiet for too long, or taken too long in all."""
        until = self._loop.time() + total
        while not self.ended.done():
            quiet, now = self._touched + idle, self._loop.time()
            if now >= until:
                return "total"
            if now >= quiet:
                return "idle"
            await asyncio.wait({self.ended}, timeout=min(quiet, until) - now)
        return ""

    async def stop(self, grace: float) -> None:
        """End it and everything it started; what does not go when asked to is killed, cancelled or not."""
        if self.ended.done():
            return
        self._signal(signal.SIGTERM)
        try:
            await asyncio.wait({self.ended}, timeout=grace)
        finally:
            self._kill(everywhere=True)
        await asyncio.wait({self.ended}, timeout=REAPED)

    def _listening(self) -> dict[int, bytearray]:
        pipes = {}
        for pipe, kept in ((self._process.stdout, self.out), (self._process.stderr, self.err)):
            assert pipe is not None  # noqa: S101  both were asked for
            os.set_blocking(pipe.fileno(), False)
            self._loop.add_reader(pipe.fileno(), self._read, pipe.fileno())
            pipes[pipe.fileno()] = kept
        return pipes

    def _read(self, pipe: int) -> bool:
        """Read what is there; false if there is nothing more."""
        try:
            piece = os.read(pipe, CHUNK)
        except BlockingIOError:
            return False
        if not piece:
            self._loop.remove_reader(pipe)
            return False
        self._touched = self._loop.time()
        kept = self._pipes[pipe]
        if kept is self.err:
            kept += piece
            del kept[:-KEPT]
        elif len(kept) + len(piece) > self._most:
            self.full = True
            self._loop.remove_reader(pipe)
            self._kill()
        elif not self.full:
            kept += piece
            self._hear(piece)
        return not self.full

    def _watch(self) -> None:
        """Learn of the end without reaping: until then nobody else can get its number, so the kill hits nobody else."""
        try:
            ended = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):  # the system does not know it, or no file can be opened now
            self._poll()
        else:
            self._loop.add_reader(ended, self._exited, ended)

    def _poll(self) -> None:
        looking = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if os.waitid(os.P_PID, self._process.pid, looking) is None:
            self._loop.call_later(POLL, self._poll)
        else:
            self._exited(-1)

    def _exited(self, ended: int) -> None:
        if ended >= 0:
            self._loop.remove_reader(ended)
            os.close(ended)
        self._kill()
        for pipe in self._pipes:
            while self._read(pipe):
                pass
            self._loop.remove_reader(pipe)
        code = self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if not self.ended.done():
            self.ended.set_result(code)
        if not self._again:
            self._workspace.over()

    def _kill(self, *, everywhere: bool = False) -> None:
        if not self.ended.done():
            self._signal(signal.SIGKILL)
            kill_strays([self._mark], {self._process.pid}, 0 if everywhere else self._process.pid)
            if everywhere:
                # A stray that was just becoming another program showed no environment; it does by then. If this loop
                # ends before, the watchdog has not heard that it is over, and looks in our place.
                self._again = True
                self._loop.call_later(AGAIN, self._last_look)

    def _last_look(self) -> None:
        kill_strays([self._mark], set())
        self._workspace.over()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _begun(argv: Sequence[str], stdin: BinaryIO, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  arguments are fixed by us, and there is no shell
        argv,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        start_new_session=True,
    )


def _readable(prompt: bytes) -> BinaryIO:
    """The prompt as a file without a name: of any length, and nobody has to keep writing while the tool reads."""
    if hasattr(os, "memfd_create"):
        file: BinaryIO = os.fdopen(os.memfd_create("prompt"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115  closed by whoever is given it
    file.write(prompt)
    file.flush()
    file.seek(0)
    return file


GRACE: Final = 0.3
"""Seconds between asking a tool to end and killing it."""

IDLE: Final = 300
TOTAL: Final = 600

PASSED_ON: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"),
    "LLM_USER_PATH",
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "NO_PROXY", "no_proxy"),
)
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


class CommandLine:
    """Answers for a seat by running a command once an ask."""

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        name: str,
        tool: Tool,
        env: Mapping[str, str],
        *,
        idle: float = IDLE,
        total: float = TOTAL,
        most: int = 8 * MIB,
    ) -> None:
        self._name = name
        self._tool = tool
        self._env = dict(env)
        self._idle = idle
        self._total = total
        self._most = most

    @classmethod
    def of(cls, name: str, options: Options, environ: Mapping[str, str]) -> "CommandLine":
        """The tool of that name, known or declared in the environment.

        Raises:
            UnknownName: there is no such tool.
            BadSetting: it does not take what was said of it.
            NoModel: it is not installed.
        """
        said = dict(options)
        tool = find_tool(name, said.get("effort", ""), environ)
        env = environment(environ)
        program = shutil.which(tool.argv[0], path=env["PATH"])
        if program is None:
            raise NoModel(
                f"'cli:{name}' needs the command {tool.argv[0]!r}; install it, and see that it is on the PATH"
            )
        if why := tool.refusal():
            raise NoModel(f"'cli:{name}' can't be used on this machine: {why}")
        idle, total = int(said.get("idle", IDLE)), int(said.get("total", TOTAL))
        return cls(name, replace(tool, argv=(program, *tool.argv[1:])), env, idle=idle, total=total)

    def __repr__(self) -> str:
        return f"CommandLine('cli:{self._name}')"

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Run the tool once; whatever happens, nothing of it is left running.

        Raises:
            PanelistError: it could not be started, failed, took too long or wrote too much.
        """
        began = perf_counter()
        with Workspace() as workspace:
            child = await self._started(workspace, ask.prompt.template, overheard)
            try:
                gone = await child.end(self._idle, self._total)
            finally:
                await child.stop(GRACE)
        self._check(child, gone)
        return self._reply(child, overheard, perf_counter() - began)

    async def _started(self, workspace: Workspace, prompt: str, overheard: WordListener) -> Child:
        """Start it; where no file can be opened for its pipes, once others have ended."""
        until = perf_counter() + self._total
        while True:
            try:
                return self._start(workspace, prompt, overheard)
            except OSError as wrong:
                if not is_short(wrong) or perf_counter() > until:
                    why = f"{self._who} cannot be started: {wrong.strerror or 'no'}"
                    missing = isinstance(wrong, FileNotFoundError | PermissionError)
                    raise PanelistError("tool_missing" if missing else "unreachable", why) from None
            await pause()

    def _start(self, workspace: Workspace, prompt: str, overheard: WordListener) -> Child:
        folder = workspace.folder
        empty, env = folder / "empty", {**self._env, "TMPDIR": str(folder)}
        empty.mkdir(exist_ok=True)
        if self._tool.home:
            env |= self._tool.home(folder, self._env)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        listening = overheard is not ignore_words and self._tool.read is plain
        return Child(
            self._tool.argv,
            env=env,
            cwd=empty,
            workspace=workspace,
            prompt=prompt.encode(errors="replace"),
            most=self._most,
            hear=(lambda piece: overheard(decoder.decode(piece))) if listening else _unheard,
        )

    @property
    def _who(self) -> str:
        return f"the tool {self._name!r}"

    def _check(self, child: Child, gone: Gone) -> None:
        if child.full:
            raise PanelistError("bad_reply", f"{self._who} wrote more than {self._most // 1024} KiB", billed=True)
        if gone == "idle":
            raise PanelistError("timeout", f"{self._who} wrote nothing for {self._idle:g} seconds", billed=True)
        if gone == "total":
            raise PanelistError("timeout", f"{self._who} took more than {self._total:g} seconds", billed=True)
        if not child.ended.done():
            raise PanelistError("timeout", f"{self._who} would not end", billed=True)

    def _reply(self, child: Child, overheard: WordListener, took: float) -> Reply:
        output, code = child.out.decode(errors="replace"), child.ended.result()
        spoken = self._tool.read(output.strip())
        if code or spoken.failed:
            said = in_one_line(child.err.decode(errors="replace").strip() or spoken.text)
            how = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}" if code else "failed"
            raise PanelistError("tool_failed", f"{self._who} {how}{said and f': {said}'}", billed=True)
        if overheard is not ignore_words and self._tool.read is not plain:
            overheard(spoken.text)
        return Reply(
            text=spoken.text,
            model=in_one_line(spoken.model) or f"cli:{self._name}",
            finish=spoken.finish,
            usage=spoken.usage,
            took=round(took * 1000),
        )


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What of an environment a tool is given: the listed variables, and proxies unless they hold a password."""
    passed = {name: environ[name] for name in PASSED_ON if environ.get(name)}
    proxies = {name: environ[name] for name in _PROXIES if environ.get(name) and "@" not in environ[name]}
    return {"PATH": os.defpath, **passed, **proxies}


def _unheard(piece: bytes, /) -> None:
    """Nobody listens."""
