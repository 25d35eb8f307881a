"""`quorate findings`: put a diff to a panel, and get a verdict and a list of findings for people and machines."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR, gate_of, gate_of_record, plain_code
from quorate.doors.cli.hints import flags_of, hint
from quorate.doors.cli.screen import complain, put_file, say, say_json, text_from
from quorate.doors.cli.session import Session, hold
from quorate.errors import BadSetting
from quorate.settings.table import PANEL

if TYPE_CHECKING:
    from quorate.doors.cli.watchers import Watcher
    from quorate.middleware.secret_redaction import RedactedText
    from quorate.views import Record
    from quorate.views.diff_findings import DiffReport
    from quorate.views.unified_diff import DiffLine

__all__ = ["findings"]

QUESTION = "May this change be merged as it is?"
PRESET = "security-review"
UNSEEN_NAMED = 5
"""Unreadable files that the verdict names; more are counted."""


class FindingsOptions(TypedDict):
    """What `quorate findings` was told."""

    base: str | None
    head: str
    staged: bool
    repository: str
    sarif: str | None
    comment: str | None
    redacted: bool
    trust: bool
    as_json: bool
    gate: str | None


@click.command(
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate findings --base main --model openai:NAME --gate
  quorate findings --staged --model openai:NAME
  quorate findings change.diff --panel panel.yaml --sarif findings.sarif""",
)
@click.argument("diff", metavar="[DIFF]", required=False)
@options.settings
@click.option("--base", metavar="REF", help="Make the diff with git: what --head changes since it left this commit.")
@click.option(
    "--head", metavar="REF", default="HEAD", show_default=True, help="With --base, the commit that changes it."
)
@click.option("--staged", is_flag=True, help="Make the diff with git: what is staged.")
@click.option("--repository", metavar="FOLDER", default=".", help="Where git makes the diff. [default: here]")
@click.option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0 too, for a code host.")
@click.option("--comment", metavar="FILE", help="Write them as Markdown too, for a comment on the change.")
@click.option(
    "--redacted", is_flag=True, help="Leave secrets out of what is printed and written as well, where others read it."
)
@options.consent
@options.as_json
@options.gate
def findings(diff: str | None, said: dict[str, Any], **wish: Unpack[FindingsOptions]) -> int:
    """Put a diff to a panel and list what it finds.

    Give --base or --staged and git makes the diff, in a way that nothing in the repository can hide a change. Or give
    DIFF, a file with a unified diff, or - to read one from stdin.

    The panel is security-review unless --panel names another. It decides whether the change may be merged, and each
    seat lists what it finds: severity, file, line and what is wrong. A finding never changes the verdict. Files that
    aren't text cap it at WARN. Secrets in the diff are replaced before anything is sent or recorded.
    """
    from quorate.model import Question
    from quorate.service.host import Host
    from quorate.service.prepare import prepare
    from quorate.service.request import Request
    from quorate.views.diff_findings import LISTING
    from quorate.views.unified_diff import number_lines, read_diff, unreadable_files

    text = _diff_text(diff, wish)
    if not text.strip():
        return _put_empty(wish)
    lines = read_diff(text)
    if not lines:
        raise BadSetting("this is no unified diff; make one with: git diff")
    unreadable = unreadable_files(text)
    request = Request(
        question=Question(QUESTION, context=number_lines(lines, unreadable), criteria=LISTING),
        options={**said, PANEL.name: said[PANEL.name] or PRESET},
        gate=wish["gate"],
        trust=wish["trust"],
        unseen=(_named(unreadable),),
    )
    prepared = stopping.run(lambda: prepare(request, Host.here("findings")))
    gate_of(wish["gate"], prepared.convened.protocol, prepared.convened.settings)
    session = FindingsSession(
        resolved=prepared.settings,
        flags=flags_of({**said, **wish}, prepared.settings),
        as_json=wish["as_json"],
        quiet=True,
        wanted=wish["gate"],
        wish=wish,
        diff=lines,
        redacted=prepared.redacted,
    )
    return hold(session, prepared)


def _diff_text(diff: str | None, wish: FindingsOptions) -> str:
    from quorate.doors.cli.git_diff import diff_between, staged_diff

    if (diff is not None) + (wish["base"] is not None) + wish["staged"] != 1:
        raise click.UsageError("say which change: DIFF, --base REF or --staged, and only one of them")
    if wish["staged"]:
        return staged_diff(wish["repository"])
    if wish["base"] is not None:
        return diff_between(wish["repository"], wish["base"], wish["head"])
    return text_from(diff or "")


def _named(unreadable: tuple[str, ...]) -> str:
    from quorate.views.escape import one_line

    more = f" and {len(unreadable) - UNSEEN_NAMED} more files" if len(unreadable) > UNSEEN_NAMED else ""
    return f"{one_line(', '.join(unreadable[:UNSEEN_NAMED]))}{more}"


@dataclass(slots=True, kw_only=True)
class FindingsSession(Session):
    """A deliberation over a diff, at whose end the findings are shown and written."""

    wish: FindingsOptions
    diff: "tuple[DiffLine, ...]"
    redacted: "RedactedText | None" = field(repr=False)

    def finished(self, record: "Record", watcher: "Watcher") -> int:
        """Show and write what was found, and give the exit code: by the verdict, whatever was found."""
        from quorate.engine.verify import refusal, verify_record
        from quorate.views.card import verdict_line
        from quorate.views.diff_findings import report_findings
        from quorate.views.result import Result

        checked = verify_record(record)
        result = Result.of(record)
        watcher.catch_up(record.state)
        report = report_findings(record, self.diff)
        if self.redacted is not None and not self.wish["redacted"]:
            report = report.with_texts(self.redacted.restore)
        _put(report, verdict_line(result), self.wish)
        hint(record)
        if result.state == "halted" or not checked.same:
            complain(f"{record.id} {refusal(checked) if not checked.same else 'was given up without a verdict'}")
            return ERROR
        gate = gate_of_record(self.wanted, record)
        return plain_code(result) if gate is None else gate.code(result, checked.state)


def _put_empty(wish: FindingsOptions) -> int:
    from quorate.views.diff_findings import DiffReport

    report = DiffReport.of_nothing()
    _put(report, report.because, wish)
    return DONE


def _put(report: "DiffReport", verdict: str, wish: FindingsOptions) -> None:
    import json

    from quorate.settings.convene import made_by
    from quorate.views.sarif import sarif

    if wish["sarif"]:
        log = json.dumps(sarif(report, made_by().removeprefix("quorate ")), indent=2) + "\n"
        put_file(log.encode(), wish["sarif"])
    if wish["comment"]:
        put_file(report.comment().encode(errors="backslashreplace"), wish["comment"])
    if wish["as_json"]:
        say_json(report.document())
        return
    say(verdict)
    for line in report.lines():
        say(line)
