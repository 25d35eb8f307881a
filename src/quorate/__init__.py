"""A panel of language models deliberates and votes; rules anyone can read decide.

Does I/O only when asked to: importing this opens nothing, logs nothing and loads nothing heavy.

    errors       every exception, drawn as a tree; outcomes are not errors
    frozen       dataclasses that cannot be changed, quick to make
    model        the nouns: question, panel, ask, speech, ballot, tally, verdict, events
    plugins      what other packages add, found without importing it
    catalogue    finds protocols, rules, checks, forms and ways to count by file name
    reading      a panelist's words become speech and ballot, or silence
    analysis     what counting and views compute with
    counting     ballots become a tally
    guard        may this question be put at all?
    protocols    who speaks when, and what they are shown
    rules        a tally becomes a verdict
    chair        everything written so far becomes what happens next
    views        events become minutes, JSON, other systems' own formats
    presets      panels and rulebooks that ship
    panelists    whoever answers for a seat
    similarity   how alike two texts are
    evidence     finding and fetching sources
    ledger       where events are kept
    middleware   wrappers around a panelist: deadline, retry, budget, rate limit, cache
    settings     flags, environment, files and arguments become settings
    engine       the loop and what holds deliberations; resume
    offline      what needs no model: decide, group, estimate, attest
    evaluate     how right a panel is, and what its seats are worth
    service      use cases: a request becomes a deliberation, in one order for every interface
    doors        ways in: command line, Python, LangGraph
    testing      the fakes we ship and use
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.doors.python import Deliberation, decide, deliberate, deliberate_now, read, resume, start, stream, wait
    from quorate.errors import QuorateError
    from quorate.model import Ballot, Panel, Question, Rulebook, Seat, Silence, Verdict
    from quorate.model.charter import Charter

__all__ = [
    "Ballot",
    "Charter",
    "Deliberation",
    "Panel",
    "Question",
    "QuorateError",
    "Rulebook",
    "Seat",
    "Silence",
    "Verdict",
    "decide",
    "deliberate",
    "deliberate_now",
    "read",
    "resume",
    "start",
    "stream",
    "wait",
]

_HOMES = (
    ("quorate.errors", ("QuorateError",)),
    ("quorate.model", ("Ballot", "Panel", "Question", "Rulebook", "Seat", "Silence", "Verdict")),
    ("quorate.model.charter", ("Charter",)),
    (
        "quorate.doors.python",
        ("Deliberation", "decide", "deliberate", "deliberate_now", "read", "resume", "start", "stream", "wait"),
    ),
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES:
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'quorate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
