"""Diffs made by git in a way that nothing in the repository can hide a change or run a program.

git reads the objects of the repository and nothing else of it: no configuration, attributes, grafts or replacements.
For that the diff is made in an empty repository of our own, which borrows the objects. The options show all as text.
"""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from types import MappingProxyType
from typing import Final

from quorate.errors import BadSetting

__all__ = ["diff_between", "staged_diff"]

LARGEST: Final = 8_000_000
"""Bytes of a diff that are read. A panel can't be asked about more than a million characters anyway."""

_DIFF: Final = (
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--text",  # a NUL byte or an attribute would otherwise turn a file into "Binary files differ"
    "--no-renames",  # a renamed file would otherwise be shown without its content
    "--full-index",
    "--ignore-submodules=none",
    "--submodule=short",
    "--no-relative",
    "--unified=8",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--end-of-options",
)
_VARIABLES: Final = frozenset(
    (
        *("HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"),
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    )
)
"""What git needs to find the repository and who may read it; others could name programs for it to run."""
_AS_IT_IS: Final = MappingProxyType(
    {
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_ALLOW_PROTOCOL": "none",  # for a git that doesn't know the next one, and would run what the clone names
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C.UTF-8",
    }
)
"""History and contents as they were committed, and nothing fetched or written."""
_SETTINGS: Final = (
    *("-c", "safe.bareRepository=explicit"),  # files of a change can look like a repository of their own
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
)


def staged_diff(repository: str) -> str:
    """What is staged in a repository.

    Raises:
        BadSetting: git can't make the diff.
    """
    with TemporaryDirectory(prefix="quorate-") as folder:
        copy = _Copy(repository, Path(folder))
        staged = copy.ask_original("write-tree")
        try:
            before = copy.commit("HEAD", "commit")
        except BadSetting:  # the first commit is still to come
            before = copy.ask("hash-object", "-t", "tree", "-w", "--stdin")
        return copy.diff(before, staged)


def diff_between(repository: str, base: str, head: str) -> str:
    """What `head` changes since it left `base`.

    Raises:
        BadSetting: one of them isn't in this clone, what was changed isn't certain, or git can't make the diff.
    """
    with TemporaryDirectory(prefix="quorate-") as folder:
        copy = _Copy(repository, Path(folder))
        start, end = copy.commit(base, "base"), copy.commit(head, "head")
        try:
            ancestors = copy.ask("merge-base", "--all", start, end).split()
        except BadSetting:
            ancestors = []
        if len(ancestors) > 1:
            # What comes back from one of them shows in no diff with that one.
            raise BadSetting("base and head have several common ancestors; merge the base into the head first")
        if not ancestors or (copy.is_shallow and ancestors != [start]):
            raise BadSetting("this clone doesn't hold where the head left the base; fetch all (fetch-depth: 0)")
        if ancestors == [end] and start != end:
            raise BadSetting("the head is older than the base, so it takes changes back that no diff would show")
        return copy.diff(ancestors[0], end)


class _Copy:
    """An empty repository that borrows the objects of another."""

    def __init__(self, repository: str, folder: Path) -> None:
        self._repository = repository
        self._git = folder / "git"
        self._original = _environment(repository)
        words = ("--show-object-format", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow")
        form, objects, shallow = self.ask_original("rev-parse", *words).split("\n")
        plain = {
            **{name: value for name, value in self._original.items() if not name.startswith("GIT_")},
            **_AS_IT_IS,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
        }
        _run(repository, ("init", "--quiet", "--bare", "--template=", f"--object-format={form}", str(self._git)), plain)
        self._own = {**plain, "GIT_DIR": str(self._git)}
        (self._git / "objects/info").mkdir(exist_ok=True)
        (self._git / "objects/info/alternates").write_text(f"{objects}\n")
        self.is_shallow = Path(shallow).is_file()
        if self.is_shallow:
            (self._git / "shallow").write_bytes(Path(shallow).read_bytes())
        # `write-tree` leaves its trees here, and not in the repository.
        self._original |= {
            "GIT_OBJECT_DIRECTORY": str(self._git / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }

    def ask(self, *words: str) -> str:
        """What git says here."""
        return _run(self._repository, words, self._own).decode().strip()

    def ask_original(self, *words: str) -> str:
        """What git says in the repository itself, by commands that run no program and read no file of it."""
        return _run(self._repository, ("-C", self._repository, *_SETTINGS, *words), self._original).decode().strip()

    def commit(self, name: str, role: str) -> str:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        try:
            return self.ask_original(*words)
        except BadSetting:
            raise BadSetting(
                f"the {role} {name!r} is not in this clone; fetch it first (on a code host: fetch-depth: 0)"
            ) from None

    def diff(self, before: str, after: str) -> str:
        content = _run(self._repository, ("-c", "core.quotePath=false", *_DIFF, before, after), self._own)
        # NUL is kept out of prompts; its visible symbol tells the reader that there was one.
        return content.decode(errors="replace").replace("\0", "\u2400")


def _environment(repository: str) -> dict[str, str]:
    """Only variables that are needed, and a path on which no folder lies in the repository."""
    kept = {name: value for name, value in os.environ.items() if name in _VARIABLES}
    top = Path(repository).resolve()
    folders = [Path(one) for one in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    outside = [str(one) for one in folders if one.is_absolute() and not one.resolve().is_relative_to(top)]
    return {**kept, **_AS_IT_IS, "PATH": os.pathsep.join(outside)}


def _run(repository: str, words: tuple[str, ...], environment: dict[str, str]) -> bytes:
    # Errors go to a file: two pipes could block each other.
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603  fixed words; refs are resolved to commit ids first
                ["git", "--no-pager", *words],  # noqa: S607  the user's own git
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except FileNotFoundError:
            raise BadSetting("git is not installed here") from None
        with process:
            content = process.stdout.read(LARGEST + 1) if process.stdout else b""
            if len(content) > LARGEST:
                process.kill()
                raise BadSetting(f"the diff has more than {LARGEST // 10**6} MB; ask about a smaller change")
        if process.returncode != 0:
            errors.seek(0)
            reason = errors.read(1000).decode(errors="replace").strip().splitlines()
            raise BadSetting(f"git can't make the diff in {repository!r}: {reason[0] if reason else 'no reason given'}")
    return content
