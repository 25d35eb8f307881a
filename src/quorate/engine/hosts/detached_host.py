"""A deliberation in a process of its own: it outlives whoever asked, and is found again through the ledger's lease.

There is no daemon. `start_host` starts this file as a program, in a session of its own, and hands it what to do through
a pipe; nothing stands on its command line. It reports once, when the record has begun or cannot, and then works on
alone. Whoever wants to know what became of it follows the record, and starts another if nobody holds it any more.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from quorate import errors
from quorate.engine.runner import Runner
from quorate.errors import BadSetting, QuorateError, Suggestion
from quorate.frozen import dataclass
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.address import place_of
from quorate.ledger.lease import Owner
from quorate.ledger.serde import decode, encode
from quorate.middleware.telemetry import log_to
from quorate.model import Convened
from quorate.settings.consent import admit_settings
from quorate.settings.resolve import Settings, resolve
from quorate.settings.table import ALLOW_KEYS, CONCURRENCY, LEDGER, PANEL, PRIORITY, TENANT, TRANSCRIPTS
from quorate.views import Record

__all__ = ["HostTerms", "is_host", "start_host"]

MODULE: Final = "quorate.engine.hosts.detached_host"
"""What the process is started by, and known by."""
MEMORY: Final = ":memory:"
PATIENCE: Final = 60.0
"""Seconds for a host to report; a busy machine may need some of them to start a process."""
SETTLED: Final = 2.0
"""Seconds after which a record that is resumed counts as under way, though nothing new is written yet."""
LOG: Final = "detached.log"
LONGEST_LOG: Final = 1 << 20
PRIVATE: Final = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTerms:
    """Where a host keeps the record, and which files it may act on: what `quorate resume` is told by its flags.

    `state` is the folder of its log. Where workers hold it, it is for a `tenant` and has a `priority`.
    """

    ledger: str
    state: str
    panel: str | None = None
    allow_keys: Sequence[str] = ()
    trust: bool = False
    tenant: str = ""
    priority: str = "normal"

    @classmethod
    def of(cls, resolved: Settings, *, trust: bool = False) -> "HostTerms":
        """As a door has resolved them.

        Raises:
            BadSetting: the ledger would not outlive this process.
        """
        if resolved[LEDGER] == MEMORY:
            raise BadSetting(
                "a ledger in memory ends with its process, so nothing can go on without it",
                suggestions=(Suggestion("ledger", "FILE", "to keep it in a file"),),
            )
        return cls(
            ledger=place_of(resolved[LEDGER]),
            state=str(resolved.state),
            panel=resolved[PANEL] if resolved.file else None,
            allow_keys=tuple(resolved[ALLOW_KEYS]),
            trust=trust,
            tenant=resolved[TENANT],
            priority=resolved[PRIORITY],
        )


def start_host(terms: HostTerms, what: Convened | str) -> str:
    """Start a process that holds a new deliberation, or goes on with the one of that id; its id, once that is certain.

    A new one is certain when its first entry is durable. Blocks meanwhile, some tenths of a second.

    Raises:
        OwnerLost: another process holds it already.
        QuorateError: it cannot be held; the sentence is the host's own.
    """
    message = json.dumps({"terms": asdict(terms), **_as_plain(what)}).encode()
    # -P: a folder that happens to hold a file of a library's name must not be what is imported.
    program = [sys.executable, "-P", "-m", MODULE]
    with _open_log(Path(terms.state)) as log:
        host = subprocess.Popen(  # noqa: S603 - our own program, and nothing on its command line
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    with host:
        try:
            report, _ = host.communicate(message, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise QuorateError(
                f"the process that was to hold it has not reported within {PATIENCE:.0f} s; see: quorate list"
            ) from None
    return _read_report(report, Path(terms.state) / LOG)


def is_host(owner: Owner) -> bool:
    """Whether a process that holds a deliberation is one of these: only such a one may be told to stop."""
    if owner.gone or owner.host != os.uname().nodename:
        return False
    try:
        line = Path(f"/proc/{owner.pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:  # a system without /proc has a command instead
        asked = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(owner.pid)], capture_output=True, check=False)  # noqa: S603, S607
        line = asked.stdout
    return f" -m {MODULE}".encode() in line


def _as_plain(what: Convened | str) -> dict[str, Any]:
    if isinstance(what, str):
        return {"id": what}
    public, words = encode(what, "")
    return {"convened": public.decode(errors="surrogatepass"), "words": words}


def _read_report(report: bytes, log: Path) -> str:
    try:
        told: dict[str, str] = json.loads(report)
    except ValueError:
        raise QuorateError(f"the process that was to hold it ended before it began; see {str(log)!r}") from None
    if "id" in told:
        return told["id"]
    kind: object = getattr(errors, told["kind"], QuorateError)
    raise errors.OwnerLost(told["error"]) if kind is errors.OwnerLost else QuorateError(told["error"])


def _open_log(folder: Path) -> BinaryIO:
    """Where a host says what went wrong once nobody listens; the one before is kept when it has grown too long."""
    path = folder / LOG
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if path.stat().st_size > LONGEST_LOG:
                path.replace(path.with_suffix(".log.1"))
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, PRIVATE), "ab")
    except OSError as wrong:
        raise BadSetting(f"cannot write {str(path)!r}, the log of what goes on alone: {wrong.strerror}") from wrong


class _Report:
    """Tells whoever started us, once, that the record has begun or why it cannot; later faults go to the log."""

    def __init__(self) -> None:
        self._pipe: BinaryIO | None = os.fdopen(os.dup(1), "wb")
        self.id = ""

    def begun(self, id_: str) -> None:
        self.id = id_
        self._tell({"id": id_})

    def failed(self, wrong: QuorateError) -> None:
        if not self._tell({"kind": type(wrong).__name__, "error": str(wrong)}):
            when = datetime.now(UTC).isoformat(timespec="seconds")
            sys.stderr.write(f"{when} {self.id}: {wrong!s}\n")

    def _tell(self, said: Mapping[str, str]) -> bool:
        pipe, self._pipe = self._pipe, None
        if pipe is None:
            return False
        # Whoever started us may have been killed meanwhile: the record goes on all the same.
        with suppress(OSError), pipe:
            pipe.write(json.dumps(said).encode())
        return True


def main() -> None:
    """Where the host's process begins: read what to do, leave the one that started it, and do it."""
    message = sys.stdin.buffer.read()
    # The process that was started ends at once: what it leaves belongs to nobody, and nobody's tree of processes.
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    report = _Report()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    os.close(nothing)
    try:
        wish: dict[str, Any] = json.loads(message)
    except ValueError:  # whoever started us was killed before all was said, so nothing was asked
        return
    try:
        with suppress(asyncio.CancelledError), log_to(os.environ.get("QUORATE_LOG", "")):
            asyncio.run(_stoppable(wish, report))
    except QuorateError as wrong:
        report.failed(wrong)


async def _stoppable(wish: dict[str, Any], report: _Report) -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - it is what runs here
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    terms = HostTerms(**wish["terms"])
    said = {LEDGER.name: terms.ledger, PANEL.name: terms.panel or "tribunal", ALLOW_KEYS.name: tuple(terms.allow_keys)}
    # Like a door, this is where a process begins: the environment is read here and handed on.
    resolved = admit_settings(resolve(said, os.environ, Path.home()), os.environ, trust=terms.trust)
    ledger = open_ledger(resolved[LEDGER])
    try:
        record = await _hold(ledger, resolved, wish, report)
    finally:
        await ledger.close()
    _transcribe(record, resolved.get(TRANSCRIPTS))


async def _hold(ledger: Ledger, resolved: Settings, wish: dict[str, Any], report: _Report) -> Record:
    from quorate.panelists.cli.workspace import sweep  # noqa: PLC0415  what the dead left; needs a subprocess or two

    sweep()
    id_ = cast("str", wish.get("id", ""))
    env = resolved.environment(os.environ)
    if id_ and resolved.consent is not None:
        env = resolved.consent.environment(id_, [entry.event for entry in await ledger.read(id_)])
    runner = Runner(
        ledger,
        env=env,
        concurrency=resolved[CONCURRENCY],
        provider_limits=resolved.provider_limits,
        consent=resolved.consent,
    )
    async with runner:
        if id_:
            return await _resume(runner, id_, report)
        convened = cast("Convened", decode(wish["convened"], wish["words"]))
        return await runner.hold(convened, begun=report.begun)


async def _resume(runner: Runner, id_: str, report: _Report) -> Record:
    """Go on with a record. It is under way once something new is written, or nothing spoke against it for a while."""
    begun: Callable[[], None] = partial(report.begun, id_)

    def soon(_: object) -> None:
        asyncio.get_running_loop().call_later(SETTLED, begun)

    def watch(_entry: object, _state: object) -> None:
        begun()

    record = await runner.resume(id_, catch_up=soon, watch=watch)
    begun()
    return record


def _transcribe(record: Record, folder: str | None) -> None:
    """Keep the minutes in the folder for them, if there is one."""
    if not folder:
        return
    from quorate.views.minutes import minutes  # noqa: PLC0415  few have such a folder

    path = Path(folder) / f"{record.id}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(minutes(record).encode(errors="backslashreplace"))
    except OSError as wrong:
        raise BadSetting(f"cannot write to {folder!r}, where transcripts go: {wrong.strerror}") from wrong


if __name__ == "__main__":
    main()
