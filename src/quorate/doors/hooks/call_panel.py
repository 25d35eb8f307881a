"""A tool call put to a panel: its secrets taken out, the panel convened, the deliberation held in time."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quorate.doors.hooks import HookOptions, ToolCall
from quorate.doors.hooks.answer_cache import AGE, call_key
from quorate.doors.hooks.permission import call_context, permission_question
from quorate.errors import QuorateError
from quorate.service.host import Host
from quorate.service.option_table import LEDGER, MODEL, PANEL
from quorate.service.prepare import prepare
from quorate.service.request import PreparedRequest, Request

if TYPE_CHECKING:
    from quorate.model import Convened
    from quorate.views import Record

__all__ = ["hold_call", "key_of", "prepare_call", "recall_call"]

PRESET: Final = "gate"


def key_of(prepared: PreparedRequest, call: ToolCall) -> str:
    """What a call is kept under: with the panel's seats, models, rules and settings, and all that it is shown."""
    convened = prepared.convened
    panel = (convened.panel, convened.protocol, convened.rulebook, convened.settings, convened.seated)
    return call_key(call.canonical, repr(panel), convened.question.context, convened.made_by)


async def prepare_call(call: ToolCall, agent: str, wish: HookOptions, limit: Fraction) -> PreparedRequest:
    """The panel over a tool call, whose secrets are taken out before anything else is done with it.

    Raises:
        TimeoutError: it could not be prepared within the limit, in seconds.
        QuorateError: there is no such panel, a seat has no model, or the call is too long to be put.
    """
    import asyncio

    defaults = {PANEL.name: PRESET, MODEL.name: wish["model"], LEDGER.name: wish["ledger"]}
    request = Request(
        question=permission_question(agent, call_context(call)),
        options={} if wish["panel"] is None else {PANEL.name: wish["panel"]},
        # A seat that has not answered by then is silent; the rest of the time is for counting.
        deadline=limit * 9 / 10,
    )
    async with asyncio.timeout(float(limit)):
        return await prepare(request, Host.here("hook", defaults=defaults))


async def hold_call(prepared: PreparedRequest, limit: float) -> "Record":
    """The deliberation, to its end.

    Raises:
        TimeoutError: it had none within the limit, in seconds; what was said so far is on record.
        QuorateError: nothing could be asked or recorded.
    """
    import asyncio

    from quorate.service.runs import open_runner

    async with (
        asyncio.timeout(limit),
        open_runner(prepared.settings, prepared.env) as runner,
    ):
        return await runner.hold(prepared.convened, state=prepared.state)


async def recall_call(put: PreparedRequest, id_: str, limit: float) -> "Record | None":
    """The deliberation that allowed this very call before, as it is on record now; none if it isn't there.

    The file that remembers which one it was could be changed by anybody who may write as the user. So the record itself
    has to be about this call, by this panel, held here, and no older than what may be remembered.

    Raises:
        TimeoutError: it could not be read within the limit, in seconds.
    """
    import asyncio

    from quorate.ledger import open_ledger
    from quorate.service.records import record_of

    ledger = open_ledger(put.settings[LEDGER])
    try:
        async with asyncio.timeout(limit):
            if any(row.imported for row in await ledger.rows(id_)):  # its ballots are somebody else's words
                return None
            record = record_of(id_, await ledger.read(id_))
            return record if _is_about(record, put.convened) else None
    except QuorateError:
        return None
    finally:
        await ledger.close()


def _is_about(record: "Record", asked: "Convened") -> bool:
    from datetime import UTC, datetime, timedelta

    from quorate.model import Convened

    first = record.events[0]
    if not isinstance(first, Convened) or not record.times:
        return False
    began = datetime.fromisoformat(record.times[0])
    age = datetime.now(UTC) - (began if began.tzinfo else began.replace(tzinfo=UTC))
    if not timedelta(0) <= age <= timedelta(seconds=AGE):
        return False
    return _compared(first) == _compared(asked)


def _compared(convened: "Convened") -> tuple[object, ...]:
    return (
        *(convened.question, convened.panel, convened.protocol),
        *(convened.rulebook, convened.settings, convened.seated),
    )
