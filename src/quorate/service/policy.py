"""What an interface may not do: each restriction has a name, and each interface that has it a reason.

A step of `prepare` asks the policy and nothing else. An interface restricts; it never leaves a step out.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass

__all__ = ["POLICIES", "Policy", "Restriction"]


class Restriction(Enum):
    """What may be restricted, in words for the table in the documentation."""

    FIXED_PROTOCOL = "The question doesn't choose the protocol."
    NAMED_MODELS = "A model must be named; none is picked from what is found on the machine."
    NO_PRECEDENTS = "Seats are shown no earlier decisions."
    GATES_ONLY = "The panel must decide between ACT, WARN and REFUSE."
    MARKED_ACT = "ACT counts only from a ballot that is the seat's own beyond doubt."
    REDACTED = "Secrets in the context are replaced before anything is sent or recorded."
    STOPS_WHEN_SETTLED = "Seats that can't change the outcome any more aren't waited for."
    CONFIGURED_EFFECTS = "A request names nothing that acts, unless the owner configured or allowed the same thing."
    OFFERED_PANELS = "A panel ships with quorate, or the owner offers it by name."
    PANELS_NEARBY = "A panel ships with quorate, or is a YAML file in the current folder or in the user's panel folder."
    PLAIN_MODELS = "A model is named without an address, options or a file."
    STRICTER_ACT_ERROR = (
        "A request may ask for a smaller share of wrong acts than the owner allows, never a larger one."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The restrictions of one interface, each with the reason why this interface has it."""

    interface: str
    restrictions: Mapping[Restriction, str] = field(default_factory=dict[Restriction, str])
    usual_protocol: str = ""
    """Held where the question doesn't choose and nobody names a protocol or a panel; else it is the tribunal."""

    def restricts(self, what: Restriction) -> bool:
        return what in self.restrictions


_MANY: Final = "All questions go to one panel, so that their results can be compared."
_CALLERS: Final = (
    "What a caller sends may come from a model that has read anything; it must not reach the owner's machine."
)
_GATE: Final = "Somebody else wrote what is judged, and nobody reads it before it takes effect."
_EACH: Final = "Every one is judged by itself."

_ACTS: Final = "The owner answers for what is acted on."
_MCP: Final = {
    Restriction.CONFIGURED_EFFECTS: _CALLERS,
    Restriction.PLAIN_MODELS: _CALLERS,
    Restriction.STRICTER_ACT_ERROR: _ACTS,
}

_POLICIES: Final = (
    Policy(interface="command line"),
    Policy(interface="Python"),
    Policy(
        interface="batch",
        restrictions={
            Restriction.FIXED_PROTOCOL: _MANY,
            Restriction.NO_PRECEDENTS: "The results of a batch must not depend on the order in which they came.",
            Restriction.STOPS_WHEN_SETTLED: "A batch wants verdicts; who would have voted what costs more.",
        },
    ),
    Policy(
        interface="evaluation",
        usual_protocol="conference",
        restrictions={
            Restriction.FIXED_PROTOCOL: "A data set has answers of any name, which a conference takes.",
            Restriction.NO_PRECEDENTS: _EACH,
        },
    ),
    Policy(
        interface="findings",
        restrictions={
            Restriction.FIXED_PROTOCOL: "A change is merged or not.",
            Restriction.NAMED_MODELS: "A change must not be judged by whatever model a pipeline happens to find.",
            Restriction.NO_PRECEDENTS: _EACH,
            Restriction.REDACTED: "A diff may hold secrets.",
        },
    ),
    Policy(
        interface="hook",
        restrictions={
            Restriction.FIXED_PROTOCOL: "A call is allowed or not.",
            Restriction.NAMED_MODELS: "An agent waits, and its calls must not go to whatever model is found.",
            Restriction.NO_PRECEDENTS: _EACH,
            Restriction.GATES_ONLY: "An agent understands allow, ask and deny.",
            Restriction.MARKED_ACT: _GATE,
            Restriction.REDACTED: "A tool call may hold secrets.",
        },
    ),
    Policy(
        interface="HTTP",
        restrictions={
            Restriction.CONFIGURED_EFFECTS: _CALLERS,
            Restriction.OFFERED_PANELS: _CALLERS,
            Restriction.STRICTER_ACT_ERROR: _ACTS,
        },
    ),
    Policy(interface="MCP", restrictions={**_MCP, Restriction.PANELS_NEARBY: _CALLERS}),
    Policy(interface="MCP over HTTP", restrictions={**_MCP, Restriction.OFFERED_PANELS: _CALLERS}),
    Policy(
        interface="LangGraph",
        restrictions={Restriction.FIXED_PROTOCOL: "A graph is drawn before there is a question."},
    ),
    Policy(
        interface="inspect_ai",
        usual_protocol="conference",
        restrictions={
            Restriction.FIXED_PROTOCOL: "All samples go to one panel, and have answers of any name.",
            Restriction.NO_PRECEDENTS: "A sample must not be answered from the one before.",
        },
    ),
)
POLICIES: Final[Mapping[str, Policy]] = MappingProxyType({policy.interface: policy for policy in _POLICIES})
"""By interface."""
