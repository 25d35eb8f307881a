"""Command-line tools that are none: they note how they were called and answer as the real ones do, or misbehave."""

import asyncio
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

NOTING = f"""#!{sys.executable}
import json, os, sys
told = sys.stdin.buffer.read()
with open(os.path.join(os.path.dirname(sys.argv[0]), "notes.jsonl"), "a") as notes:
    notes.write(json.dumps({{
        "argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "there": os.listdir("."),
        "read": len(told), "begun": told[:200].decode(errors="replace"), "session": os.getsid(0) == os.getpid(),
        "cmdline": open("/proc/self/cmdline", "rb").read().decode(errors="replace"),
        "files": {{
            os.path.relpath(os.path.join(folder, name), os.environ["TMPDIR"]): open(os.path.join(folder, name)).read()
            for folder, _, names in os.walk(os.environ["TMPDIR"]) for name in names
        }},
    }}) + "\\n")
"""
"""Reads everything, notes everything; what it answers is added."""

STUBBORN = f"""#!{sys.executable}
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
same = subprocess.Popen(["/bin/sh", "-c", "trap '' TERM HUP INT; while :; do sleep 60; done"])
away = subprocess.Popen(["/bin/sh", "-c", "trap '' TERM HUP INT; sleep 600"], start_new_session=True)
print("begun", flush=True)
time.sleep(600)
"""
"""Ignores being asked to end, as do its children, one of which has a session of its own."""

SPRAWLING = """#!/bin/sh
trap '' TERM HUP INT
note() { echo "$!" >> "$HOME/pids"; }
sh -c 'trap "" TERM HUP INT; while :; do sleep 60; done' & note
setsid sh -c 'echo "$$" >> "$HOME/pids"; trap "" TERM HUP INT; sleep 600 & wait' &
env -i sh -c 'trap "" TERM HUP INT; sleep 600 & wait' & note
set -m
env -i sleep 600 & note
echo "$$" >> "$HOME/pids"
sleep 600
"""
"""Notes itself and four children: of its group, of a session of their own, without our mark, of another group."""

HARDHEADED = """#!/bin/sh
trap '' TERM HUP INT
(trap '' TERM; sleep 600) &
sleep 600
"""
"""The same, quick to start."""


def tool(folder: Path, name: str, script: str) -> Path:
    """Put an executable there, whole at once: one that still runs under this name cannot be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    path, made = folder / name, folder / f".{name}.made"
    made.write_text(script, encoding="utf-8")
    made.chmod(made.stat().st_mode | stat.S_IXUSR)
    made.replace(path)
    return path


def bearing(word: str) -> list[int]:
    """Live processes whose environment holds a word; a dead one that is not yet reaped has none."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if word.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def watchdogs(pid: int, seconds: float = 10.0) -> list[int]:
    """The processes that watch over one, once the newest of them bears its own name."""
    until = time.monotonic() + seconds
    while not (found := _watching(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def _watching(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
                if parent == pid and b"watchdog.py" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


async def left(word: str, seconds: float = 2.0) -> list[int]:
    """What of it is still alive, once the system has had time to bury the killed."""
    until = asyncio.get_running_loop().time() + seconds
    while (found := bearing(word)) and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110  nobody is told
        await asyncio.sleep(0.02)
    return found
