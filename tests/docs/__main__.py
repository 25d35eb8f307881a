"""`python -m tests.docs docs/page.md`: run a page and print what its commands really say, for whoever writes it."""

import sys
import tempfile
from pathlib import Path

import pytest

from tests.docs.models import serving
from tests.docs.page import Block, blocks, named
from tests.docs.running import Page


def tell(block: Block, command: str, _expected: str, came: str) -> None:
    sys.stderr.write(f"--- {block.place}\n$ {command}\n{came}")


def main(path: Path) -> int:
    parsed = list(blocks(named(path), path.read_text(encoding="utf-8")))
    with serving() as models, tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        page = Page(Path(folder), patch, models, tell)
        faults = list(page.faults(parsed))
    sys.stdout.write("\n\n".join(faults) + "\n")
    return len(faults)


if __name__ == "__main__":
    sys.exit(sum(main(Path(name).resolve()) for name in sys.argv[1:]))
