"""A command-line tool that answers for a seat: the prompt on its standard input, its words on its standard output.

It starts with fixed arguments, in an empty folder, with the few variables it needs and no key among them; it is logged
in by its own means or not at all. `idle` is how long it may write nothing, `total` how long it may take.
"""

import codecs
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Final

from quorate.errors import NoModel, PanelistError
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.panelists.cli.process import Child, Gone
from quorate.panelists.cli.tools import Tool, find_tool, plain
from quorate.panelists.cli.workspace import Workspace
from quorate.panelists.http.client import MIB
from quorate.panelists.http.failures import in_one_line
from quorate.panelists.http.file_shortage import is_short, pause
from quorate.panelists.model_options import Options

__all__ = ["GRACE", "PASSED_ON", "CommandLine", "environment"]

GRACE: Final = 0.3
"""Seconds between asking a tool to end and killing it."""

IDLE: Final = 300
TOTAL: Final = 600

PASSED_ON: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "LLM_USER_PATH"),
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
                    raise PanelistError("unreachable", why, again=False) from None
            await pause()

    def _start(self, workspace: Workspace, prompt: str, overheard: WordListener) -> Child:
        folder = workspace.folder
        empty, env = folder / "empty", {**self._env, "TMPDIR": str(folder)}
        empty.mkdir(exist_ok=True)
        variable, settings = self._tool.settings
        if variable:
            (folder / "settings.json").write_text(settings, encoding="utf-8")
            env[variable] = str(folder / "settings.json")
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
