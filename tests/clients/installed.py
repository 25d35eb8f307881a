"""The real agents, our wheel and an MCP SDK, installed by npm and pip into a folder of their own, run by nobody."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["AGENTS", "BIN", "SCRATCH", "Finished", "as_user", "environment", "install", "make_home", "run"]

SCRATCH: Final = Path(os.environ.get("QUORATE_CLIENTS") or f"/var/tmp/quorate-clients-{os.getuid()}")  # noqa: S108 - ours, see below
"""Outside the repository, and not in a home, which another user may not enter."""
BIN: Final = SCRATCH / "quorate" / "bin"
AGENTS: Final = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "qwen": "@qwen-code/qwen-code",
    "opencode": "opencode-ai",
}
INSPECTOR: Final = "@modelcontextprotocol/inspector"
NOBODY: Final = 65534
_SETPRIV: Final = shutil.which("setpriv") if os.getuid() == 0 else None
AS_NOBODY: Final = (_SETPRIV, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if _SETPRIV else ()
"""Agents trust what belongs to root, so root runs them as another user."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended; a code of None means that it was still running when its time was up."""

    code: int | None
    out: str
    err: str


def install() -> dict[str, str]:
    """Install everything afresh and return the versions by name."""
    SCRATCH.mkdir(mode=0o755, exist_ok=True)
    if SCRATCH.stat().st_uid != os.getuid() or SCRATCH.is_symlink():
        raise SystemExit(f"{SCRATCH} belongs to somebody else; name another folder in QUORATE_CLIENTS")
    for left in ("dist", "runs"):
        shutil.rmtree(SCRATCH / left, ignore_errors=True)
    names = [f"{package}@latest" for package in (*AGENTS.values(), INSPECTOR)]
    _do("npm", "install", "--prefix", str(SCRATCH), "--no-audit", "--no-fund", "--loglevel=error", *names)
    _do(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(SCRATCH / "dist"), ".")
    (wheel,) = (SCRATCH / "dist").glob("*.whl")
    versions = {name: _version(package) for name, package in AGENTS.items()}
    for folder, what in (("clean", str(wheel)), ("quorate", f"{wheel}[mcp,web]"), ("sdk", "mcp")):
        python = SCRATCH / folder / "bin" / "python"
        _do(_python(), "-m", "venv", "--clear", str(SCRATCH / folder))
        _do(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what)
    shown = subprocess.check_output([SCRATCH / "sdk" / "bin" / "pip", "list", "--format=json"], text=True)
    packages = {one["name"]: one["version"] for one in json.loads(shown.splitlines()[0])}
    versions["inspector"] = _version(INSPECTOR)
    return {**versions, "mcp SDK": packages["mcp"], "wheel": wheel.name.split("-")[1]}


def make_home(name: str, files: Mapping[str, str]) -> Path:
    """A home for one run, with these files in it; those that begin with `#!` are programs."""
    home = SCRATCH / "runs" / name
    shutil.rmtree(home, ignore_errors=True)
    for folder in ("project", "tmp", "bin"):
        (home / folder).mkdir(parents=True)
    for file, content in files.items():
        path = home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(0o755 if content.startswith("#!") else 0o600)
    if AS_NOBODY:
        for folder_, folders, names in os.walk(home):
            for path in (Path(folder_), *(Path(folder_) / one for one in (*folders, *names))):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return home


def run(
    words: Sequence[str | Path],
    home: Path,
    env: Mapping[str, str] | None = None,
    *,
    stdin: str = "",
    seconds: float = 90,
) -> Finished:
    """Run a program in `home/project` with an environment of its own; whatever is left of it then is ended."""
    process = subprocess.Popen(
        as_user(words),
        cwd=home / "project",
        env=environment(home, env or {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(stdin, timeout=seconds)
        return Finished(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        try:
            return Finished(None, *process.communicate(timeout=5))
        except subprocess.TimeoutExpired:  # what it started holds its pipes
            return Finished(None, "", "")


def as_user(words: Sequence[str | Path]) -> list[str]:
    """The command that runs a program as the user who runs the agents."""
    return [*AS_NOBODY, *map(str, words)]


def environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """All that a program is told: nothing of the caller's environment but the PATH."""
    path = f"{home / 'bin'}:{SCRATCH / 'node_modules' / '.bin'}:{BIN}:{os.environ['PATH']}"
    fixed = {"PATH": path, "HOME": str(home), "TMPDIR": str(home / "tmp"), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    return {**fixed, **more}


def _do(*words: str) -> None:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _version(package: str) -> str:
    return str(json.loads((SCRATCH / "node_modules" / package / "package.json").read_text())["version"])


def _python() -> str:
    """A Python of 3.11 or newer that the user who runs the agents may start."""
    places = f"{os.defpath}:{os.environ['PATH']}"
    found = (shutil.which(f"python3{minor}", path=places) for minor in ("", ".11", ".12", ".13"))
    for name in (os.path.realpath(sys.executable), *found):
        check = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"
        asked = as_user(["/bin/sh", "-c", '"$0" -c "$1"', str(name), check])
        if name and subprocess.run(asked, check=False, capture_output=True).returncode == 0:
            return name
    raise SystemExit("there is no Python 3.11 that another user may start; run this as a user other than root")
