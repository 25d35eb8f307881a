from collections.abc import Hashable
from dataclasses import replace
from typing import Any, cast

import pytest

from quorate.ledger.event_writers import compiled_writer, write_event
from quorate.ledger.serde import encode
from quorate.ledger.type_shapes import shape
from quorate.model import Event, Spoken
from tests.ledger.sample import EVENTS, SPOKEN

SALT = "00" * 16
MANY = 200
"""More than are written field by field before a writer is compiled."""


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_written_alike_however_many_were_written_before(event: Event) -> None:
    first = encode(event, SALT)

    assert [encode(event, SALT) for _ in range(MANY)] == [first] * MANY


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"version": True}, "is no int"),
        ({"seat": 1}, "is no str"),
        ({"reply": {"text": 1}}, "is no str"),
        ({"reply": {"finish": "never"}}, "is none of"),
        ({"reply": {"usage": {"money": 1.5}}}, "is no Fraction"),
    ],
)
def test_what_would_not_be_read_back_is_refused_by_both(wrong: dict[str, Any], sentence: str) -> None:
    event = changed(SPOKEN, wrong)

    for write in (compiled_writer(Spoken), shape(cast("Hashable", Spoken)).write, write_event):
        with pytest.raises(TypeError, match=sentence):
            write(event, str)


def changed(one: Any, wrong: dict[str, Any]) -> Any:  # noqa: ANN401 - any record, and the same
    """The same with what it cannot hold."""
    values = {name: changed(getattr(one, name), to) if isinstance(to, dict) else to for name, to in wrong.items()}
    return replace(one, **values)
