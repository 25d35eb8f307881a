"""Ends the tools that quorate has started once quorate is gone, even by `kill -9`; runs as a program of its own.

It reads from a pipe which tools are running, and the pipe ends when quorate does. A signal at the parent's death would
reach the tool alone and not what the tool has started, comes when a mere thread ends, and is set by code that runs
between fork and exec, where a program with threads must not run any. A pipe has none of these faults, on any system.

This file is run by its path, without the rest of quorate: the standard library only, and little of it.
"""

import os
import signal
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Final

__all__ = ["MARK", "kill_strays", "started_at", "strays"]

MARK: Final = "QUORATE_ASK"
"""The variable by which a tool's children are known again, even those that left its session."""

PAUSES: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Seconds between looks: what is just becoming another program shows neither its variables nor what it will start."""
SESSION, BEGAN = 3, 19
"""Fields of /proc/PID/stat, counted from behind the program's name, which may hold anything."""

Tools = dict[bytes, tuple[int, int]]
"""By folder, the process that runs there and when it began; 0 if it is only about to be started."""


def strays(marks: Collection[bytes], sessions: set[int], since: int = 0) -> list[int]:
    """Processes that bear a mark or belong to a session, where the system lets one look; none begun before `since`.

    A session in which one bears a mark is a tool's, whatever variables others in it have; it is added to `sessions`.
    Numbers are given out in order, so that what a process started has a greater one, until they begin again at 1.
    """
    wanted = [MARK.encode() + b"=" + mark + b"\0" for mark in marks]
    later = _processes(since)
    bearing = [entry for entry in later if _bears(wanted, entry)]
    sessions.update(filter(None, map(_session, bearing)))
    return [int(entry) for entry in later if entry in bearing or _session(entry) in sessions]


def _processes(since: int) -> list[str]:
    """The numbers of all that run and were begun later; all, if the numbers have begun again."""
    try:
        with open("/proc/loadavg", "rb") as load:  # noqa: PTH123
            latest = int(load.read().split()[4])
        entries = os.listdir("/proc")  # noqa: PTH208  a hundred names, after every ask
    except (OSError, IndexError, ValueError):
        return []
    least = since if latest >= since else 0
    return [entry for entry in entries if entry.isdecimal() and int(entry) > least]


def kill_strays(marks: Collection[bytes], sessions: set[int], since: int = 0) -> None:
    """Kill them."""
    for stray in strays(marks, sessions, since):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(stray, signal.SIGKILL)


def started_at(pid: int) -> int:
    """When a process began, by the system's own count; 0 if there is none, it is dead, or nobody tells."""
    fields = _fields(str(pid))
    return int(fields[BEGAN]) if len(fields) > BEGAN and fields[0] != b"Z" else 0


def _session(entry: str) -> int:
    fields = _fields(entry)
    return int(fields[SESSION]) if len(fields) > SESSION and fields[0] != b"Z" else 0


def _bears(wanted: Iterable[bytes], entry: str) -> bool:
    with suppress(OSError), open(f"/proc/{entry}/environ", "rb", buffering=0) as environ:  # noqa: PTH123
        shown = environ.read()
        return any(mark in shown for mark in wanted)
    return False


def _fields(entry: str) -> list[bytes]:
    with suppress(OSError), open(f"/proc/{entry}/stat", "rb", buffering=0) as stat:  # noqa: PTH123
        return stat.read().rpartition(b")")[2].split()
    return []


def _told(lines: Iterable[bytes]) -> Tools:
    """What is running when the lines end: a folder in hexadecimal, its process and when that began; or it is over."""
    tools: Tools = {}
    for line in lines:
        folder, *running = line.split()
        if running:
            tools[folder] = (int(running[0]), int(running[1]))
        else:
            tools.pop(folder, None)
    return tools


def _end(tools: Tools) -> None:
    folders = [os.fsdecode(bytes.fromhex(folder.decode())) for folder in tools]
    marks = [os.fsencode(os.path.basename(folder)) for folder in folders]  # noqa: PTH119
    # A number that another process has got meanwhile is not ours any more.
    sessions = {pid for pid, began in tools.values() if pid and started_at(pid) in {0, began}}
    for pause in PAUSES:
        time.sleep(pause)
        for leader in sessions:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(leader, signal.SIGKILL)
        kill_strays(marks, sessions)
    import shutil  # noqa: PLC0415  a watchdog that has nothing to remove starts without it

    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Wait for the end of standard input, then end what is still running."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    tools = _told(sys.stdin.buffer)
    if tools:
        _end(tools)


if __name__ == "__main__":
    main()
