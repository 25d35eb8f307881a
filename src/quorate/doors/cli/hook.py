"""`quorate hook`: answer a coding agent's permission question by a panel; without a verdict nothing is allowed."""

import os
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.screen import bytes_from, note, say
from quorate.doors.hooks import AGENTS, LARGEST, HookOptions, HookOutput, PermissionAnswer, agent_format, read_call
from quorate.errors import QuorateError
from quorate.settings.table import HOOK_ON_TIMEOUT, MODEL, PANEL

if TYPE_CHECKING:
    from fractions import Fraction

    from quorate.doors.hooks import AgentFormat, ToolCall
    from quorate.service.request import PreparedRequest
    from quorate.views import Record

__all__ = ["hook"]

GRACE: Final = 3.0
"""Seconds beyond the limit in which what was cancelled may still clean up; then the answer is given all the same."""


@click.command(
    epilog="""\b
Examples:
  quorate hook check claude-code
  quorate hook install claude-code --model openai:NAME
  quorate hook install codex --panel panel.yaml --yes"""
)
@click.argument("action", type=click.Choice((*AGENTS, "install", "check")), metavar="AGENT|install|check")
@click.argument("agent", type=click.Choice(AGENTS), metavar="[AGENT]", required=False)
@options.flag(PANEL, help="The panel that is asked; it must decide between ACT, WARN and REFUSE. Default: gate.")
@options.flag(MODEL, help="The model for every seat that has none.")
@options.ledger
@click.option(
    "--hook-file",
    metavar="FILE",
    help="What is always allowed, asked or denied; default: hooks.yaml beside the user file.",
)
@click.option("--timeout", metavar="TIME", default="45s", show_default=True, help="Answer within this time.")
@click.option("--event", metavar="FILE", help="For check: an event to try; default: one from the documentation.")
@click.option(
    "--settings-file", metavar="FILE", help="For install: the agent's settings file; default: the user's own."
)
@click.option("--yes", is_flag=True, help="For install: write the change; without it, it is only shown.")
def hook(action: str, agent: str | None, **wish: Unpack[HookOptions]) -> int:
    """Let a panel answer a coding agent's permission question.

    AGENT is claude-code, codex, gemini, qwen, opencode, copilot or cursor.

    `quorate hook AGENT` is what the agent runs: it reads the agent's event on stdin and answers in the agent's format.
    ACT allows the call, WARN asks a person, REFUSE denies it. Without a verdict, in time or at all, a person is asked,
    or the call is denied: see the setting hook_on_timeout. It is never allowed then. Where the agent can't be made to
    ask, as Gemini CLI, OpenCode, and Codex before a call, it is denied with the reason.

    `quorate hook install AGENT` shows the change to the agent's settings, and writes it with --yes.

    `quorate hook check AGENT` shows what would be asked and answered; it asks no model and spends nothing.
    """
    from quorate.settings.amounts import seconds

    limit = seconds(wish["timeout"])
    if action in AGENTS:
        return _answer_hook(action, wish, limit)
    if agent is None:
        raise click.UsageError(f"name the agent: quorate hook {action} {'|'.join(AGENTS)}")
    from quorate.doors.cli import hook_setup

    return hook_setup.install(agent, wish, limit) if action == "install" else hook_setup.check(agent, wish)


def _answer_hook(agent: str, wish: HookOptions, limit: "Fraction") -> int:
    form = agent_format(agent)
    with _Reply(form, float(limit)) as reply:
        reply.otherwise, trouble = _otherwise()
        try:
            call = read_call(agent, form.events, bytes_from("-").read(LARGEST + 1))
        except (QuorateError, OSError) as wrong:
            return reply.give_up(trouble or str(wrong))
        reply.event = call.event
        if trouble:
            return reply.give_up(trouble)
        try:
            answer = _judge(call, form, wish, limit)
        except QuorateError as wrong:
            return reply.give_up(str(wrong))
        except TimeoutError:
            return reply.give_up(f"nothing within {float(limit):g} s")
        return reply.give_up(answer) if isinstance(answer, str) else reply.give(answer)


def _otherwise() -> tuple[Literal["ask", "deny"], str]:
    """What to answer without a verdict; whose settings cannot be read may have wished for the stricter."""
    from quorate.settings.resolve import read_spoken

    try:
        said = read_spoken({}, os.environ, Path("~").expanduser()).merged.get(HOOK_ON_TIMEOUT.name)
    except QuorateError as wrong:
        return "deny", str(wrong)
    return ("deny" if said is not None and said.value != HOOK_ON_TIMEOUT.default else "ask"), ""


class _Reply(AbstractContextManager["_Reply"]):
    """Gives one answer, and gives it in time even where this process is stuck: agents take silence for consent."""

    def __init__(self, form: "AgentFormat", limit: float) -> None:
        self.event = ""
        self.otherwise: Literal["ask", "deny"] = "deny"
        self._form = form
        self._limit = limit
        self._once = Lock()
        self._timer = Timer(limit + GRACE, self._late)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def give(self, answer: PermissionAnswer) -> int:
        """Answer; where the time is up just now, the thread beside does, and ends the process."""
        if not self._once.acquire(blocking=False):
            Event().wait(GRACE)
            return _print_output(HookOutput.block("there is no verdict: the time is up"))
        output = self._form.write(self.event, answer)
        return _print_output(output)

    def give_up(self, why: str) -> int:
        """Answer without a verdict."""
        return self.give(PermissionAnswer(decision=self.otherwise, reason=f"there is no verdict: {why}"))

    def _late(self) -> None:
        if self._once.acquire(blocking=False):
            answer = PermissionAnswer(
                decision=self.otherwise, reason=f"there is no verdict: nothing within {self._limit:g} s"
            )
            os._exit(_print_output(self._form.write(self.event, answer)))


def _print_output(output: HookOutput) -> int:
    """Give the answer and its exit code; an answer on stdout that nobody could read blocks the call instead.

    Agents take exit code 0 without an answer as their usual rules, which may allow what the panel refused.
    """
    try:
        is_read = not output.out or say(output.out)
    except QuorateError:  # the disk behind stdout is full
        is_read = False
    if not is_read:
        output = HookOutput.block("the answer could not be written to stdout, so the call is blocked")
    if output.err:
        note(output.err)
    return output.code


def _judge(call: "ToolCall", form: "AgentFormat", wish: HookOptions, limit: "Fraction") -> PermissionAnswer | str:
    """First the patterns, then what the panel allowed before, then the panel; without a verdict, why there is none."""
    import time

    from quorate.doors.hooks.first_list import answer_by_lists
    from quorate.doors.hooks.own_places import own_places

    own = own_places(wish["ledger"], os.environ, Path("~").expanduser())
    if found := answer_by_lists(call, wish["hook_file"], own, os.environ):
        return found
    # Most calls end here, so what only the others need is loaded now.
    from quorate.doors.hooks.answer_cache import AllowedCalls
    from quorate.doors.hooks.call_panel import hold_call, key_of, prepare_call
    from quorate.doors.hooks.refusals import RefusalCounts
    from quorate.middleware.secret_redaction import RedactedText

    put = stopping.run(lambda: prepare_call(call, form.title, wish, limit))
    key = key_of(put, call)
    allowed = AllowedCalls(put.settings.state / "hooks" / "allowed.json")
    # What was taken out of a call isn't on record, so two calls that differ in a secret look the same there.
    redacted = put.redacted or RedactedText(text="")
    is_kept = not redacted.secrets and own.is_literal(call) and not own.is_local_request(call)
    known = allowed.find(key, time.time()) if is_kept else None
    refusals = RefusalCounts(put.settings.state / "hooks" / "refusals.json")
    if known and (before := _answer_before(put, known, float(limit))):
        return refusals.escalate(call, before, time.time())
    record = stopping.run(lambda: hold_call(put, float(limit)))
    answer = _answer_of(record)
    if isinstance(answer, str):
        return redacted.restore(answer)
    if answer.decision == "allow" and is_kept:
        allowed.keep(key, record.id, time.time())
    return refusals.escalate(call, replace(answer, reason=redacted.restore(answer.reason)), time.time())


def _answer_before(put: "PreparedRequest", id_: str, limit: float) -> PermissionAnswer | None:
    """What the panel answered to the same call before; a person may have reviewed it since, with the last word."""
    from quorate.doors.hooks.call_panel import recall_call

    before = stopping.run(lambda: recall_call(put, id_, limit))
    answer = _answer_of(before) if before else ""
    if isinstance(answer, str):  # it says why there is no verdict, so the call is put again
        return None
    allows = answer.decision == "allow"
    told = f"the panel allowed the same call before: quorate show {id_}" if allows else answer.reason
    return replace(answer, reason=told)


def _answer_of(record: "Record") -> PermissionAnswer | str:
    from quorate.doors.hooks.permission import answer_by_verdict
    from quorate.engine.verify import verify_record
    from quorate.views.result import Result

    checked = verify_record(record)
    return answer_by_verdict(Result.of(record), checked.state)
