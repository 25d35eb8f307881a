"""Which line of which file each line of a diff stands for."""

import random

import pytest

from quorate.views.unified_diff import changed_lines, number_lines, read_diff, unreadable_files

DIFF = """\
diff --git a/src/app.py b/src/app.py
index 1..2 100644
--- a/src/app.py
+++ b/src/app.py
@@ -8,3 +8,4 @@ def f():
 a = 1
--- a/not/a/head
+++ b/not/a/head either
+b = 2
 c = 3
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"
--- "a/\\303\\244.txt"
+++ "b/\\303\\244.txt"
@@ -0,0 +1 @@
+x
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
"""


def test_lines_are_counted_as_the_hunks_say() -> None:
    found = changed_lines(read_diff(DIFF))

    assert found == {
        "src/app.py": frozenset({8, 9, 10, 11}),
        "gone.txt": frozenset(),
        "ä.txt": frozenset({1}),
        "logo.png": frozenset(),
    }


def test_whoever_reads_it_sees_the_numbers() -> None:
    lines = number_lines(read_diff(DIFF)).splitlines()

    assert lines[5:10] == [
        "     8  a = 1",
        "       --- a/not/a/head",
        "     9 +++ b/not/a/head either",
        "    10 +b = 2",
        "    11  c = 3",
    ]


@pytest.mark.parametrize("text", ["", "Fine by me.", "@@ -1 +1 @@", "+x\n-y"])
def test_what_names_no_file_is_no_diff(text: str) -> None:
    assert read_diff(text) == ()


def test_any_text_can_be_read(seed: int) -> None:
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    pieces = (
        "@@ -1,9999999 +1,2 @@",
        "--- a/x",
        "+++ b/",
        '+++ "b/\\',
        "diff --git",
        "\\",
        "+",
        "-",
        " ",
        "\r",
        "\u2028",
    )
    for _ in range(500):
        text = "\n".join(chance.choice(pieces) for _ in range(chance.randrange(30)))
        assert all(line.number >= 0 for line in read_diff(text))


GIT_HEAD = "diff --git a/x b/x\n"


@pytest.mark.parametrize(
    ("text", "unreadable"),
    [
        (DIFF, ("logo.png",)),
        (GIT_HEAD + "index 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ()),
        (GIT_HEAD + "index 1234567..89abcde 100644\n", ("x",)),
        (GIT_HEAD + "index 1234567..89abcde 100644\nGIT binary patch\nliteral 3\nzzz\n", ("x",)),
        (GIT_HEAD + "old mode 100644\nnew mode 100755\n", ()),
        (
            GIT_HEAD + "index 1234567..89abcde 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-Subproject 1\n+Subproject 2\n",
            ("x",),
        ),
        (
            GIT_HEAD + "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n version 1\n-oid sha256:1\n+oid sha256:2\n",
            ("x",),
        ),
        (GIT_HEAD + "new file mode 100644\nindex 0000000..e69de29\n", ()),
        (GIT_HEAD + "similarity index 100%\nrename from x\nrename to y\n", ()),
        (GIT_HEAD + "index 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\0\n", ("x",)),
        (GIT_HEAD + "index 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\ufffd\n", ("x",)),
        ("Only in b: evil.py\n", ("Only in b: evil.py",)),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-Binary files a and b differ\n+Only in x\n", ()),
    ],
)
def test_a_file_counts_as_shown_only_with_a_hunk_of_text(text: str, unreadable: tuple[str, ...]) -> None:
    assert unreadable_files(text) == unreadable
