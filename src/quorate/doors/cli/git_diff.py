"""Diffs made by git in a way that nothing in the repository can hide a change.

A repository under review may try to: `.gitattributes` marks files as binary, `.gitmodules` hides submodules, a rename
shows no content. Every option below switches one of these off, so the diff has all of the change as text.
"""

import os
import subprocess
import tempfile
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
    "--ignore-submodules=none",
    "--submodule=short",
    "--no-relative",
    "--unified=8",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def staged_diff(repository: str) -> str:
    """What is staged in a repository.

    Raises:
        BadSetting: git can't make the diff.
    """
    return _diff(repository, ("-C", repository, "-c", "core.quotePath=false", *_DIFF, "--cached"))


def diff_between(repository: str, base: str, head: str) -> str:
    """What `head` changes since it left `base`.

    Raises:
        BadSetting: one of them isn't in this clone, or git can't make the diff.
    """
    folder = _output(repository, ("-C", repository, "rev-parse", "--absolute-git-dir")).decode(errors="replace").strip()
    start, end = _commit(repository, base, "base"), _commit(repository, head, "head")
    # As a bare repository git reads no .gitattributes from the files that were checked out.
    bare = (f"--git-dir={folder}", "--bare", "-c", "core.quotePath=false", "-c", "core.attributesFile=")
    return _diff(repository, (*bare, *_DIFF, f"{start}...{end}"))


def _commit(repository: str, name: str, role: str) -> str:
    words = ("-C", repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        return _output(repository, words).decode().strip()
    except BadSetting:
        raise BadSetting(
            f"the {role} {name!r} is not in this clone; fetch it first (on a code host: fetch-depth: 0)"
        ) from None


def _diff(repository: str, words: tuple[str, ...]) -> str:
    # NUL is kept out of prompts; its visible symbol tells the reader that there was one.
    return _output(repository, words).decode(errors="replace").replace("\0", "\u2400")


def _output(repository: str, words: tuple[str, ...]) -> bytes:
    environment = {**os.environ, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0"}
    environment.pop("GIT_DIFF_OPTS", None)
    # Errors go to a file: two pipes could block each other.
    with tempfile.TemporaryFile() as errors:
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
