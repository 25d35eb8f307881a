"""Capsules for tests: of cases drawn by chance, of whole records, and the shipped verifier as a stranger runs it."""

import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from quorate import chair, rules
from quorate.ledger import Row
from quorate.ledger.chain import first, seal
from quorate.ledger.serde import canonical
from quorate.model import Admitted, Decided, Event, Reply, Silent, Speech, Spoken
from quorate.offline.attest import StoredRecord
from quorate.offline.capsule import VERIFIER, verifier_program, withhold, write_capsule

ID = "a" * 26
Capsule = dict[str, Any]


def record_of_events(events: list[Event], id_: str = ID) -> StoredRecord:
    """Events as a record whose chain holds."""
    rows: list[Row] = []
    before = first(id_)
    for number, event in enumerate(events, 1):
        rows.append(seal(event, number, before, "2026-01-01T00:00:00.000000Z"))
        before = rows[-1].hash
    return StoredRecord(id=id_, rows=rows)


def events_of(state: chair.State) -> list[Event]:
    """A state that was put together by hand as the events that lead to it, and its verdict."""
    said: list[Event] = []
    for (round_, seat, about), word in state.heard.words.items():
        if isinstance(word, Speech):
            reply = Reply(text=f"{seat} in {round_}")
            said.append(
                Spoken(
                    round=round_, seat=seat, about=about, reply=reply, ballot=word.ballot, argument=word.argument,
                    version=chair.VERSION,
                )
            )  # fmt: skip
        else:
            said.append(Silent(round=round_, seat=seat, about=about, why=word.why))
    finds: list[Event] = list(state.heard.finds.values())
    verdict = rules.decide(chair.tally_of(state), state.convened.rulebook)
    admitted = Admitted(version=chair.VERSION)
    return [state.convened, admitted, *said, *finds, Decided(verdict=verdict, version=chair.VERSION)]


def verifier(folder: Path) -> ModuleType:
    """The shipped verifier, imported from where it was written."""
    (folder / VERIFIER).write_bytes(verifier_program())
    spec = spec_from_file_location("verify_capsule", folder / VERIFIER)
    assert spec is not None
    assert spec.loader is not None
    program = module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def run_verifier(folder: Path, capsule: bytes | dict[str, Any], *key: str) -> tuple[int, str]:
    """Run it as a program in another directory, without anything of ours on its path."""
    (folder / VERIFIER).write_bytes(verifier_program())
    file = folder / "capsule.json"
    file.write_bytes(capsule if isinstance(capsule, bytes) else write_capsule(capsule))
    isolated = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(
        (sys.executable, "-S", str(folder / VERIFIER), str(file), *key),
        capture_output=True, text=True, env=isolated, check=False, cwd="/",
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def swap_events(capsule: Capsule) -> None:
    capsule["entries"][2], capsule["entries"][3] = capsule["entries"][3], capsule["entries"][2]


def change_rulebook(capsule: Capsule) -> None:
    first = capsule["entries"][0]
    first["event"] = first["event"].replace('["at_least","2/3"]', '["at_least","1/3"]')


def forge_verdict(capsule: Capsule) -> None:
    facts = json.loads(capsule["statement"])
    capsule["statement"] = canonical({**facts, "verdict": {**facts["verdict"], "outcome": "REFUSE"}})


def hide_words(capsule: Capsule) -> None:
    for part in ("salt", "words"):
        del capsule["entries"][3][part]


def hide_event(capsule: Capsule) -> None:
    """A whole entry is gone, and only its words are listed as withheld."""
    hidden = withhold(capsule, ["4"])
    capsule["entries"], capsule["withheld"] = hidden["entries"], [[4, "words"]]


def cut_end(capsule: Capsule) -> None:
    del capsule["entries"][-1]


def add_part(capsule: Capsule) -> None:
    capsule["remark"] = "everything is in order"


def add_remark(capsule: Capsule) -> None:
    capsule["entries"][1]["remark"] = "everything is in order"


FORGERIES = (swap_events, change_rulebook, forge_verdict, hide_words, hide_event, cut_end, add_part, add_remark)
"""What a forger can do who hashes the file anew and has no key."""
