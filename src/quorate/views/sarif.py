"""Findings as SARIF 2.1.0, which code hosts show beside the lines (https://docs.oasis-open.org/sarif/sarif/v2.1.0/)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from quorate.views.diff_findings import SEVERITIES, DiffFinding, DiffReport

__all__ = ["sarif"]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {"critical": "error", "high": "error", "medium": "warning", "low": "note", "note": "note", "unknown": "warning"}
)
_SCORES: Final[Mapping[str, str]] = MappingProxyType(
    {"critical": "9.5", "high": "8.0", "medium": "5.0", "low": "3.0", "note": "0.0", "unknown": "5.0"}
)
"""Where a code host sorts them; the severity is a seat's word, so this is its kind and no measurement."""


def sarif(report: DiffReport, version: str) -> Mapping[str, object]:
    """The report as a SARIF log; what kept it from being complete stands among the notifications."""
    rules = [
        {
            "id": f"finding-{severity}",
            "shortDescription": {"text": f"A finding that a seat called {severity}"},
            "defaultConfiguration": {"level": _LEVELS[severity]},
            "properties": {"security-severity": _SCORES[severity], "tags": ["security"]},
        }
        for severity in SEVERITIES
    ]
    told = [] if report.is_complete else [f"undecided: {report.because}"]
    notes = [{"level": "warning", "message": {"text": text}} for text in (*told, *report.notes())]
    run = {
        "tool": {"driver": {"name": "quorate", "version": version, "rules": rules}},
        "invocations": [{"executionSuccessful": report.is_complete, "toolExecutionNotifications": notes}],
        "results": [_result(one) for one in report.findings],
        "properties": {"deliberation": report.id, "outcome": report.outcome, "decided": report.decided},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: DiffFinding) -> Mapping[str, object]:
    said = f"{one.text or 'no text'} ({', '.join(one.seats)})"
    where = "" if one.in_diff else f" [names {one.place or 'no place'}, which is not in the diff]"
    found: dict[str, object] = {
        "ruleId": f"finding-{one.severity}",
        "ruleIndex": SEVERITIES.index(one.severity),
        "level": _LEVELS[one.severity],
        "message": {"text": f"{said}{where}".replace("](", "] (")},  # which would be a link
        "properties": {"severity": one.severity, "inDiff": one.in_diff, "seats": list(one.seats)},
    }
    if one.in_diff:  # a place that nobody showed the panel may be anything, and is told in words alone
        place: dict[str, object] = {"artifactLocation": {"uri": quote(one.file)}}
        if one.line:
            place["region"] = {"startLine": one.line}
        found["locations"] = [{"physicalLocation": place}]
    return found
