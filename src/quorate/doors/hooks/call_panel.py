"""A tool call put to a panel: its secrets taken out, the panel convened, the deliberation held in time."""

import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quorate import catalogue
from quorate.doors.hooks import HookOptions, ToolCall
from quorate.doors.hooks.answer_cache import AGE, call_key
from quorate.doors.hooks.permission import call_context, permission_question
from quorate.errors import BadSetting, QuorateError
from quorate.frozen import dataclass
from quorate.middleware.secret_redaction import RedactedText, redact_secrets
from quorate.settings.consent import admit_settings
from quorate.settings.context_files import with_files
from quorate.settings.convene import cap_unseen, convene
from quorate.settings.resolve import Settings, resolve
from quorate.settings.rulebook_file import setting_names
from quorate.settings.table import ACT_ERROR, CONCURRENCY, FILES, LEDGER, MODEL, PANEL
from quorate.views import GATE

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.model import Convened
    from quorate.views import Record

__all__ = ["ConvenedCall", "convene_call", "hold_call", "recall_call"]

PRESET: Final = "gate"
MARKED: Final = "act_needs_mark"


@dataclass(frozen=True, slots=True)
class ConvenedCall:
    """A panel over a tool call, the settings it is held with, and the secrets that were taken out of it."""

    settings: Settings
    convened: "Convened"
    redacted: RedactedText

    def key_of(self, call: ToolCall) -> str:
        """What a call is kept under: with the panel's seats, models, rules and settings, and all that it is shown.

        The share of wrong acts that the user allows is no setting of the panel yet: it becomes a rule when it is held.
        """
        convened = self.convened
        panel = (convened.panel, convened.protocol, convened.rulebook, convened.settings, convened.seated)
        at_most = str(self.settings.get(ACT_ERROR))
        return call_key(call.canonical, repr(panel), at_most, convened.question.context, convened.made_by)


def convene_call(call: ToolCall, agent: str, wish: HookOptions, limit: Fraction) -> ConvenedCall:
    """The panel over a tool call, whose secrets are taken out before anything else is done with it.

    Raises:
        QuorateError: there is no such panel, a seat has no model, or the call is too long to be put.
    """
    said = {PANEL.name: wish["panel"] or PRESET, MODEL.name: wish["model"], LEDGER.name: wish["ledger"]}
    resolved = admit_settings(resolve(said, os.environ, Path("~").expanduser()), os.environ, trust=False)
    charter = resolved.charter
    if catalogue.protocol(charter.protocol).outcomes != GATE:
        raise BadSetting(
            f"a hook needs a panel that decides between {', '.join(GATE)}, and this is a {charter.protocol}"
        )
    # Whoever has not answered by then is silent, and there is time left to count.
    own, deadline = charter.limits.deadline, limit * 9 / 10
    limits = replace(charter.limits, deadline=deadline if own is None else min(own, deadline))
    # Nobody reads what a hook allows before it happens, so ACT has to be the seat's own beyond doubt, on any panel.
    if MARKED in setting_names(charter.protocol):
        charter = replace(charter, settings=(*(one for one in charter.settings if one[0] != MARKED), (MARKED, "true")))
    question, _ = with_files(permission_question(agent, call_context(call)), resolved[FILES])
    redacted = redact_secrets(question.context, os.environ)
    question = replace(question, context=redacted.text)
    convened = convene(question, replace(charter, limits=limits), resolved.environment(os.environ))
    return ConvenedCall(resolved, cap_unseen(convened, redacted.unjudged), redacted)


async def hold_call(put: ConvenedCall, limit: float) -> "Record":
    """The deliberation, to its end.

    Raises:
        TimeoutError: it had none within the limit, in seconds; what was said so far is on record.
        QuorateError: nothing could be asked or recorded.
    """
    import asyncio

    from quorate.engine.runner import Runner
    from quorate.ledger import open_ledger

    settings = put.settings
    ledger = open_ledger(settings[LEDGER])
    try:
        async with asyncio.timeout(limit):
            async with Runner(
                ledger,
                env=settings.environment(os.environ),
                concurrency=settings[CONCURRENCY],
                provider_limits=settings.provider_limits,
                consent=settings.consent,
            ) as runner:
                return await runner.hold(await _certified(put, ledger))
    finally:
        await ledger.close()


async def _certified(put: ConvenedCall, ledger: "Ledger") -> "Convened":
    """With the score from which a verdict may be acted on alone, where the user asked for that."""
    at_most = put.settings.get(ACT_ERROR)
    if at_most is None:
        return put.convened
    from quorate.evaluate.act_gate import certify_from_ledger

    return (await certify_from_ledger(put.convened, at_most, ledger, put.settings[LEDGER])).convened


async def recall_call(put: ConvenedCall, id_: str, limit: float) -> "Record | None":
    """The deliberation that allowed this very call before, as it is on record now; none if it isn't there.

    The file that remembers which one it was could be changed by anybody who may write as the user. So the record itself
    has to be about this call, by this panel, held here, and no older than what may be remembered.

    Raises:
        TimeoutError: it could not be read within the limit, in seconds.
    """
    import asyncio

    from quorate.engine.verify import record_of
    from quorate.ledger import open_ledger

    ledger = open_ledger(put.settings[LEDGER])
    try:
        async with asyncio.timeout(limit):
            if any(row.imported for row in await ledger.rows(id_)):  # its ballots are somebody else's words
                return None
            record = record_of(id_, await ledger.read(id_))
            return record if _is_about(record, await _certified(put, ledger)) else None
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
