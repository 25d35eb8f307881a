"""Shell commands that are known to look at open files of the project, and those that only seem to."""

import os
import random
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from quorate.doors.hooks import ToolCall
from quorate.doors.hooks.shell_commands import looks_of
from tests.doors.test_hook_lists import decided

KEY: Final = "canary-7f3a"
"""Stands in every file that a command must not show."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    for folder in ("src/deep", "docs", ".git", "keys"):
        (root / folder).mkdir(parents=True)
    for name in ("README.md", "src/a.py", "src/deep/b.py", "docs/c.md"):
        (root / name).write_text("one\nTODO two\n", encoding="utf-8")
    for name in (".env", ".git/config", "keys/id_rsa", "notes.txt"):
        (root / name).write_text(f"{KEY}\n", encoding="utf-8")
    (tmp_path / "outside.py").write_text(f"{KEY}\n", encoding="utf-8")
    (root / "away.py").symlink_to(tmp_path / "outside.py")
    (root / "up").symlink_to(tmp_path)
    return root


def by_list(command: str, root: Path) -> str:
    return decided(ToolCall(agent="claude-code", event="", tool="Bash", input={"command": command}, cwd=str(root)))


HARMLESS = """\
ls
ls -la
ls -lh src docs
ls -l README.md
pwd
cat README.md
cat src/a.py src/deep/b.py
cat src/a.py | head -n 5
head -20 src/a.py
tail -n +2 src/a.py
wc -l src/a.py
grep -n TODO src/a.py
grep -rn 'TODO two' src
grep -i "todo" src/a.py | sort | uniq -c
sort -k2,2n src/a.py
cut -d, -f1 src/a.py
find . -name '*.py' -type f
find src -maxdepth 2 -mtime -7
du -sh src
stat src/a.py
diff -u src/a.py src/deep/b.py
echo done
echo 'a; rm -rf x'
date +%Y-%m-%d
uname -a
ls src 2>/dev/null
ls src && cat README.md || echo none; pwd
cat README.md 2>&1 | wc -l""".splitlines()


@pytest.mark.parametrize("command", HARMLESS)
def test_a_command_that_only_looks_at_open_files_is_allowed(command: str, project: Path) -> None:
    assert by_list(command, project) == "allow"


FOR_THE_PANEL = r"""
cat notes.txt
cat away.py
cat up/outside.py
cat ../outside.py
cat /etc/passwd
cat src/*.py
cat src/a.py > b.py
cat < src/a.py
cat src/a.py | tee b.py
cat src/a.py | sh
cat $HOME/a.py
cat ~/a.py
cat "$(id)"
cat `id`
cat <(id)
cat src/a.py; rm src/a.py
cat src/a.py && ./x
cat src/a.py & rm x
(cat src/a.py)
{ cat src/a.py; }
! cat src/a.py
time cat src/a.py
X=1 cat src/a.py
LD_PRELOAD=./x.so ls
ls; x=1
if true; then ls; fi
for x in a; do ls; done
while true; do ls; done
ls() { id; }; ls
alias ls=id; ls
command ls
builtin pwd
exec ls
eval ls
\ls
'l's
l\s
./ls
/tmp/ls
src/ls
sort -o src/a.py src/a.py
sort --output=src/a.py README.md
sort --compress-program=sh README.md
uniq README.md src/a.py
find . -delete
find . -exec id ;
find . -name x -o -delete
find . -fprint out
find -L . -name '*.py'
find . -name '*.pem'
find up -name x
grep -r TODO .
grep -r TODO up
grep -R TODO src
grep -f notes.txt src/a.py
grep -P TODO src/a.py
grep TODO notes.txt
grep -- TODO src/a.py
tail -f src/a.py
tail --follow=name src/a.py
date -s tomorrow
date -f notes.txt
date --file=notes.txt
hostname x
echo $HOME
echo "$HOME"
echo "a!!"
echo a\b
ls #c
ls -- -x
ls =x
ls {a,b}
ls [a]
ls ?
git status
rg --pre sh TODO
du --files0-from=notes.txt
wc --files0-from=notes.txt
stat -c %n notes.txt -f
diff -r src up
diff README.md notes.txt
awk 1 src/a.py
sed -n 1p src/a.py
python -c 1
xargs ls
env ls
nice ls
sudo ls
ls |& cat
ls 2>err
ls &>/dev/null 2>x
ls >/dev/sda
ls <<<x
cat <<x
[ -e x ]
[[ -e x ]]
((1))
: ; ls
. ./x
source x
cd .. && ls
cd / ; cat etc/passwd
pushd / ; ls
""".strip().splitlines()
SIGNS = ("ls\x00", "ls\nid", "ls\rid", "ls \u2028id", "ls\u00a0src", "cat src/a.py\t; id", "")


@pytest.mark.parametrize("command", [*FOR_THE_PANEL, *SIGNS])
def test_anything_else_goes_to_the_panel(command: str, project: Path) -> None:
    assert by_list(command, project) != "allow"


def test_a_program_that_is_found_in_the_project_first_is_unknown(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = project / "bin" / "cat"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\nid\n", encoding="utf-8")
    own.chmod(0o755)
    assert by_list("cat README.md", project) == "allow"
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")

    assert by_list("cat README.md", project) == "panel"


def test_a_project_in_git_is_searched_by_the_panel_alone(project: Path) -> None:
    assert by_list("grep -rn TODO .", project) == "panel"
    assert by_list("grep -rn TODO src", project) == "allow"


def test_long_and_odd_commands_are_no_trouble() -> None:
    assert looks_of("cat " + "a" * 2_000) is None
    assert looks_of("(" * 900) is None
    assert looks_of("cat 'a") is None
    assert looks_of(None) is None
    assert looks_of("") is None


PIECES: Final = (
    *("ls", "cat", "head", "grep", "find", "sort", "uniq", "wc", "cut", "tr", "echo", "diff", "stat", "du", "date"),
    *("-n", "-r", "-R", "-l", "-o", "-c", "-f", "-k2", "-name", "-type", "-exec", "-delete", "-d", "5", "f", "TODO"),
    *(
        "src/a.py",
        "src",
        ".",
        "README.md",
        "notes.txt",
        ".env",
        "keys/id_rsa",
        "away.py",
        "up",
        "up/outside.py",
        ".git",
    ),
    *("../outside.py", "keys", "new.py", "'*.py'", "'a b'", '"x"', "+%Y", "a", "b", ",", "--", "-", "/dev/null"),
)
JOINTS: Final = (
    *(" ", " ", " ", " ", " ", " ", " | ", " && ", " || ", "; ", " > ", " >> ", " < ", " 2>&1 ", " 2>/dev/null "),
    *("\n", " & ", "`", "$(", ")", "'", '"', "\\", "=", "*", "~", "{", "}", "#", "$", "!"),
)
TRICKS, MOST = 20_000, 400


def trick(chance: random.Random) -> str:
    """Known and unknown words, joined mostly by spaces."""
    words = [chance.choice(PIECES[:15])]
    for _ in range(chance.randrange(6)):
        words += [chance.choice(JOINTS), chance.choice(PIECES)]
    return "".join(words)


def state(folder: Path) -> str:
    """What lies below a folder, and what it holds."""
    seen = sha256()
    for path in sorted(folder.rglob("*")):
        held = str(path.readlink()) if path.is_symlink() else path.read_bytes().hex() if path.is_file() else ""
        seen.update(f"{path} {path.lstat().st_mode} {held}\n".encode())
    return seen.hexdigest()


@pytest.mark.promise
@pytest.mark.timeout(600)
@pytest.mark.parametrize("tries", [TRICKS, pytest.param(50 * TRICKS, marks=pytest.mark.long)])
def test_what_is_allowed_changes_nothing_and_shows_no_secret_in_a_real_shell(
    tries: int, seed: int, project: Path
) -> None:
    """Every trick that the list allows is run. The control: other tricks of the same kind do both."""
    chance = random.Random(seed)
    drawn = sorted({trick(chance) for _ in range(tries)})
    allowed = [command for command in drawn if by_list(command, project) == "allow"]
    before = state(project.parent)
    for command in allowed[:: 1 + len(allowed) // (MOST * tries // TRICKS)]:
        shown = subprocess.run(
            ["bash", "-c", command], cwd=project, capture_output=True, timeout=20, stdin=subprocess.DEVNULL, check=False
        )
        assert KEY.encode() not in shown.stdout + shown.stderr, command
        assert state(project.parent) == before, command

    assert len(allowed) > 50
    for command in ("cat notes.txt", "grep -r canary .", "echo x > new.py"):
        assert by_list(command, project) != "allow"
        shown = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, timeout=20, check=False)
        assert KEY.encode() in shown.stdout or state(project.parent) != before
