"""Holds one question of a batch after the other under a key, so that each is asked once, whoever goes on.

The ledger's claim on the key says which deliberation a question became, before anything is asked. Whoever comes later
with the same key goes on with that one, or reads what it has come to.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Self

from quorate.engine.batches.question_lines import LineError
from quorate.engine.batches.result_lines import BatchResult
from quorate.engine.prices import Prices
from quorate.engine.runner import Runner, seating_of
from quorate.engine.seating import Seating
from quorate.engine.shared_runner import RunnerSettings
from quorate.engine.verify import UNPROVEN, refusal, verify_record
from quorate.errors import BadSetting, LedgerBroken, LedgerMismatch, NotRecorded, OtherVersion, OwnerLost, QuorateError
from quorate.frozen import dataclass
from quorate.ledger import Claim, Ledger, new_id
from quorate.middleware.budget import Budget
from quorate.model import Convened, Decided, Spoken, TurnedAway
from quorate.views import Record
from quorate.views.access import access_sentence
from quorate.views.document import number
from quorate.views.result import Decision, Result

__all__ = ["BatchJob", "BatchWorker"]

PATIENCE: Final = 30.0
"""Seconds to wait for another process that holds a question: one that was killed lets go within them."""
PAUSE: Final = 0.1
CLAIMED: Final = 0.5
"""Seconds that whoever has claimed a key has to begin, before the question counts as left by a process that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """One question as it will be held. `claim` is its key in the ledger; `again` asks anew where nobody was heard."""

    number: int
    key: str
    claim: str
    digest: str
    convened: Convened
    again: bool = True


class BatchWorker:
    """`async with BatchWorker(...) as worker`: one ledger and one set of connections for all its questions."""

    def __init__(self, ledger: Ledger, env: Mapping[str, str], terms: RunnerSettings) -> None:
        self._ledger = ledger
        self._env = env
        self._terms = terms
        self._prices = Prices(None, env)
        self._seatings: dict[frozenset[tuple[str, str]], Seating] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for seating in self._seatings.values():
            await seating.close()
        await self._ledger.close()

    async def check(self, convened: Convened) -> None:
        """See that the panel can be asked at all.

        Raises:
            QuorateError: it cannot; the same is true of every question.
        """
        await self._runner(self._env).check(convened)

    async def answer(self, job: BatchJob) -> BatchResult:
        """What a question comes to, asked now or before; what is wrong with it alone is in the result.

        Raises:
            QuorateError: nothing can be asked or recorded here.
        """
        try:
            record = await self._record(job)
        except (_KeyReused, OwnerLost, LedgerMismatch, LedgerBroken, OtherVersion) as wrong:
            kind = _ERROR_KINDS.get(type(wrong), "record")
            return BatchResult(number=job.number, key=job.key, error=LineError(kind=kind, message=str(wrong)))
        return self._result(job, record)

    async def _record(self, job: BatchJob) -> Record:
        """The record of the question; of one that nobody answered before, that of another attempt."""
        attempt, is_new = 0, False
        while True:
            claim, is_new = await self._claim(job, attempt)
            record = await self._hold(claim, job, is_new=is_new)
            answered = any(isinstance(event, Spoken) for event in record.events)
            # What had failed for want of access has just been asked anew.
            if is_new or not job.again or answered or not isinstance(record.state.closed, Decided | TurnedAway):
                return record
            attempt += 1

    async def _claim(self, job: BatchJob, attempt: int) -> tuple[Claim, bool]:
        key, mine = f"{job.claim} attempt {attempt}" if attempt else job.claim, new_id()
        claim = await self._ledger.claim(key, mine, job.digest)
        if claim.digest != job.digest:
            raise _KeyReused(f"the key {job.key!r} stands for another question in this batch; give this one its own")
        return claim, claim.id == mine

    async def _hold(self, claim: Claim, job: BatchJob, *, is_new: bool) -> Record:
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while True:
            try:
                if not is_new and await self._is_recorded(claim.id):
                    return await self._resume(claim.id)
                return await self._runner(self._env).hold(job.convened, id_=claim.id, left=not is_new)
            except OwnerLost:
                if loop.time() > until:
                    raise
                is_new = False
                await asyncio.sleep(PAUSE)

    async def _is_recorded(self, id_: str) -> bool:
        """Whether anything is recorded of what somebody claimed; whoever has just claimed it is given a moment."""
        loop = asyncio.get_running_loop()
        until = loop.time() + CLAIMED
        while True:
            with suppress(NotRecorded):
                if await self._ledger.read(id_):
                    return True
            if loop.time() > until:
                return False
            await asyncio.sleep(PAUSE)

    async def _resume(self, id_: str) -> Record:
        env, consent = self._env, self._terms.consent
        if consent is not None:
            env = consent.environment(id_, [entry.event for entry in await self._ledger.read(id_)])
        return await self._runner(env).resume(id_)

    def _runner(self, env: Mapping[str, str]) -> Runner:
        """A runner for one question: what it remembers of one is not kept for a hundred thousand."""
        key, terms = frozenset(env.items()), self._terms
        if key not in self._seatings:
            self._seatings[key] = seating_of(
                self._ledger, env=env, concurrency=terms.concurrency, provider_limits=terms.provider_limits
            )
        consent = terms.consent and replace(terms.consent, begun={})
        return Runner(self._ledger, env=env, seating=self._seatings[key], consent=consent)

    def _result(self, job: BatchJob, record: Record) -> BatchResult:
        checked = verify_record(record)
        result, plain = Result.of(record), BatchResult(number=job.number, key=job.key, id=record.id)
        convened = record.state.convened
        spent = Budget.restore(convened.limits, record.events, self._prices.of, ended=True).spent
        if result.cost is not None:
            cost = result.cost
            plain = replace(plain, calls=cost.calls, tokens=cost.tokens, money=number(cost.money))
        told = replace(plain, state=result.state, charged=spent, seconds=round(result.seconds, 3))
        if checked.state in UNPROVEN:
            return replace(told, error=LineError(kind="record", message=f"{record.id} {refusal(checked)}"))
        if result.decision is None:
            why = access_sentence(record.state) or "it has ended without a verdict"
            return replace(told, error=LineError(kind=result.state, message=why))
        return _decided(replace(told, may_act=result.may_act), result.decision, heard=not result.is_unheard)


class _KeyReused(BadSetting):
    """Two different questions under one key."""


_ERROR_KINDS: Final[Mapping[type[QuorateError], str]] = MappingProxyType(
    {_KeyReused: "key_reused", OwnerLost: "held_elsewhere"}
)


def _decided(told: BatchResult, decision: Decision, *, heard: bool) -> BatchResult:
    verdict = decision.verdict
    unheard = LineError(kind="unheard", message="nobody of the panel could be heard, so nothing was decided")
    return replace(
        told,
        outcome=verdict.outcome,
        decided=verdict.decided,
        requires_human_review=verdict.requires_human_review,
        agreement=number(verdict.agreement),
        confidence=number(verdict.confidence),
        because=verdict.because,
        votes={voice.seat: voice.choice for voice in decision.votes},
        error=None if heard else unheard,
    )
