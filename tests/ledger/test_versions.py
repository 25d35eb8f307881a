"""A ledger of another version is refused; and what another process commits shows."""

from pathlib import Path

import apsw
import pytest

from quorate.errors import OtherVersion
from quorate.ledger import Ledger, open_ledger
from quorate.ledger.sqlite.database import run
from tests.ledger.contract import written
from tests.ledger.sample import CONVENED


@pytest.mark.parametrize("version", [-1, 2, 9])
async def test_a_ledger_of_another_version_is_refused_with_a_sentence(ledger: Ledger, path: Path, version: int) -> None:
    id_ = await written(ledger, CONVENED)
    await ledger.close()
    with apsw.Connection(str(path)) as db:
        run(db, f"PRAGMA user_version = {version}")

    with pytest.raises(OtherVersion, match=rf"another version .*ledger\.db': it has schema {version},"):
        await ledger.read(id_)
    with pytest.raises(OtherVersion):
        await written(ledger, CONVENED)


async def test_what_another_process_commits_changes_the_version(ledger: Ledger, path: Path) -> None:
    before = await ledger.version()
    other = open_ledger(path)
    await written(other, CONVENED)
    after = await ledger.version()
    await written(other, CONVENED)
    await other.close()

    assert len({before, after, await ledger.version()}) == 3
