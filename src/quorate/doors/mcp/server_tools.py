"""The tools: each takes its arguments, calls, and gives back a declared shape."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from quorate.doors.mcp import lookups
from quorate.doors.mcp.deliberations import Deliberations, FollowedRecord
from quorate.doors.mcp.panel_request import CounselArguments, Participant, panel_request
from quorate.doors.mcp.result_shapes import (
    CheckResult,
    DecisionList,
    DecisionResult,
    DeliberationResult,
    Explanation,
    ModelList,
    QualityResult,
    SessionModelsResult,
    StartResult,
)
from quorate.doors.mcp.results import (
    cut_json,
    cut_text,
    deliberation_result,
    describe,
    explanation,
    next_step,
    state_word,
    verdict_result,
)
from quorate.errors import QuorateError
from quorate.model import Event, Origin
from quorate.service.fields import VALUE, RequestField, request_fields
from quorate.views.access import access_sentence

__all__ = ["Tools", "tool_argument"]

P = ParamSpec("P")
T = TypeVar("T")

Text = Annotated[str, Field(max_length=200_000)]
Line = Annotated[str, Field(max_length=2_000)]
Word = Annotated[str, Field(max_length=200)]
Id = Annotated[str, Field(max_length=64, description="Its id, a unique beginning of it, or `last`.")]
Seconds = Annotated[float | None, Field(ge=0, le=600, description="Answer after so many seconds at most.")]
Participants = Annotated[
    list[Participant],
    Field(max_length=25, description='Who speaks: [{"cli": "claude", "model": "sonnet", "stance": "for"}, …]'),
]
Mode = Annotated[
    Literal["quick", "conference"] | None, Field(description="quick: one round. conference: several rounds.")
]
Rounds = Annotated[int | None, Field(ge=1, le=20, description="Rounds of a conference at most.")]

_COUNSEL: Final[Mapping[str, tuple[Any, object]]] = {
    "participants": (Participants, []),
    "rounds": (Rounds, None),
    "mode": (Mode, None),
    "working_directory": (Annotated[str | None, Field(max_length=2_000)], None),
}
"""AI Counsel's own arguments, each with its default."""
_LENGTHS: Final[Mapping[str, int]] = {"question": 200_000, "context": 200_000, "criteria": 200_000}
_MOST_OPTIONS: Final = 50


def tool_argument(one: RequestField) -> tuple[Any, object]:
    """A field of a request as an argument of a tool, with bounds that a client can see."""
    match one.type:
        case kind if kind is str:
            bounded: Any = Annotated[str, Field(max_length=_LENGTHS[one.name], description=one.about)]
        case kind if kind == tuple[str, ...]:
            bounded = Annotated[list[Line], Field(max_length=_MOST_OPTIONS, description=one.about)]
        case kind if kind is bool:
            bounded = Annotated[bool, Field(description=one.about)]
        case kind if kind == VALUE:
            bounded = Annotated[Word | int | float | None, Field(description=one.about)]
        case _:
            bounded = Annotated[dict[Word, Line | int | float | bool], Field(max_length=100, description=one.about)]
    if one.make_default is None:
        return bounded, Parameter.empty
    default = one.make_default()
    return bounded, [] if default == () else default


_OF_TABLE: Final = {one.name: tool_argument(one) for one in request_fields("mcp")}
_ALL: Final = {**_OF_TABLE, **_COUNSEL, "seconds": (Seconds, None)}


def _takes_fields(
    arguments: Mapping[str, tuple[Any, object]],
) -> Callable[[Callable[[Any, Context, Mapping[str, Any]], Awaitable[T]]], Callable[..., Awaitable[T]]]:
    """Let a tool take these arguments: the library makes its schema from a signature."""

    def with_arguments(tool: Callable[[Any, Context, Mapping[str, Any]], Awaitable[T]]) -> Callable[..., Awaitable[T]]:
        async def call(self: Any, ctx: Context, **fields: Any) -> T:  # noqa: ANN401 - as the arguments say
            return await tool(self, ctx, fields)

        keyword = Parameter.KEYWORD_ONLY
        named = [
            Parameter(name, keyword, default=default, annotation=kind) for name, (kind, default) in arguments.items()
        ]
        positional = Parameter.POSITIONAL_OR_KEYWORD
        known = signature(tool)
        # Without `self`: this is what `wraps` hands on to the function that stands for the bound method.
        call.__signature__ = known.replace(  # type: ignore[attr-defined]
            parameters=[Parameter("ctx", positional, annotation=Context), *named]
        )
        call.__doc__, call.__name__ = tool.__doc__, tool.__name__
        call.__annotations__ = {"ctx": Context, "return": known.return_annotation}
        return call

    return with_arguments


LOOKS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ASKS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
ENDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def tell_errors(function: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """What goes wrong is told in its own sentence, as a failed call that a model can read."""

    @wraps(function)
    async def tell(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await function(*args, **kwargs)
        except QuorateError as wrong:
            raise ToolError(cut_text(str(wrong))) from None

    return tell


class Tools:
    """One server's tools, over what its calls have in common."""

    def __init__(self, held: Deliberations) -> None:
        self.held = held

    def register(self, server: MCPServer) -> None:
        """Have a server offer them, in the order in which one meets them."""
        offered = {**OFFERED, **REVIEWS} if self.held.reviews else OFFERED
        for name, annotations in offered.items():
            server.add_tool(
                tell_errors(getattr(self, name)), name=name, annotations=annotations, structured_output=True
            )

    @_takes_fields(_ALL)
    async def deliberate(self, ctx: Context, fields: Mapping[str, Any]) -> DeliberationResult:
        """Put a question to several language models that hear each other and vote; rules turn the votes into a verdict.

        For decisions worth more than one opinion. Without participants or a panel quorate chooses the protocol and the
        models. Answers in time even if the panel is slow: then `status` is running, and `wait` gives the result.
        """
        began = time.monotonic()
        counsel = CounselArguments(**{name: fields[name] for name in _COUNSEL}, session_models=self.held.session_models)
        id_, prepared = await self.held.start(panel_request(fields, counsel))
        await ctx.notify_resources_changed()
        left = self.held.limit(fields["seconds"]) - (time.monotonic() - began)
        found = await self.held.follow(id_, max(0.0, left), _progress(ctx))
        await ctx.notify_resource_updated(f"quorate://deliberations/{id_}")
        return _result(found, tuple(note.text for note in prepared.notes))

    @_takes_fields(_OF_TABLE)
    async def start(self, ctx: Context, fields: Mapping[str, Any]) -> StartResult:
        """Begin a deliberation and answer at once with its id; it goes on by itself. Then call `wait`."""
        id_, prepared = await self.held.start(panel_request(fields, CounselArguments()))
        await ctx.notify_resources_changed()
        notes = cut_json([note.text for note in prepared.notes])
        return StartResult(id=id_, state="running", next=next_step(id_, "running"), notes=notes)

    async def wait(self, ctx: Context, id: Id, seconds: Seconds = None) -> DeliberationResult:
        """Wait for a deliberation: its result, or how far it is. If its process is gone, another goes on with it."""
        found = await self.held.follow(id, self.held.limit(seconds), _progress(ctx))
        await ctx.notify_resource_updated(f"quorate://deliberations/{found.record.id}")
        return _result(found)

    async def resume(self, ctx: Context, id: Id, seconds: Seconds = None) -> DeliberationResult:
        """Go on with a deliberation that was interrupted; answers on record are not paid for again."""
        await self.held.begin_anew(id)
        return await self.wait(ctx, id, seconds)

    async def cancel(self, id: Id, because: Line = "cancelled by the client") -> StartResult:
        """End a running deliberation for good. It gets no verdict; what was said stays on record."""
        found = await self.held.cancel(id, because)
        return StartResult(id=found.record.id, state=state_word(found.record, running=False), next="")

    async def decide(
        self,
        ballots: Annotated[
            list[dict[str, Any]],
            Field(max_length=200, description='[{"seat": "Safety", "decision": "REFUSE", "confidence": 70}, …]'),
        ],
        protocol: Word | None = None,
        rulebook: Word | None = None,
    ) -> DecisionResult:
        """Apply the rules to ballots you have: no model is asked and nothing is recorded."""
        from quorate.offline.decide import decide_ballots

        document: Any = decide_ballots(json.dumps(ballots), rulebook=rulebook, protocol=protocol)
        return DecisionResult(may_act=document["may_act"], verdict=verdict_result(document["verdict"]))

    async def explain(self, id: Id) -> Explanation:
        """Say why a verdict is what it is: votes, each rule that was asked, what the panel withstands."""
        return explanation((await self.held.look_up(id)).record)

    async def verify(self, id: Id) -> CheckResult:
        """Check a record: its chain of hashes, and that its words lead to its verdict."""
        from quorate.engine.verify import verify_record

        found = (await self.held.look_up(id)).record
        checked = verify_record(found)
        return CheckResult(
            id=found.id,
            entries=len(found.events),
            state=checked.state,
            holds=checked.holds,
            recorded=cut_json(checked.recorded),
            recomputed=cut_json(checked.recomputed),
            because=cut_text(checked.why) or None,
            notes=cut_json(checked.notes),
        )

    async def review(self, id: Id, outcome: Line, by: Word, because: Line) -> DeliberationResult:
        """Record what a person says of a verdict, in their name and words; only if they asked you to."""
        from quorate.engine.person_entries import review

        async with self.held.ledger() as ledger:
            record = await review(ledger, id, outcome=outcome, by=by, because=because, origin=self._origin)
        return _result(FollowedRecord(record, running=False), (f"{by} reviewed it: {outcome}",))

    async def record_outcome(self, id: Id, value: Line, by: Word = "", because: Line = "") -> DeliberationResult:
        """Record what turned out right, once a person knows; only if they asked you to. The verdict stays as it is."""
        from quorate.engine.person_entries import record_outcome

        async with self.held.ledger() as ledger:
            record = await record_outcome(ledger, id, value, by=by, because=because, origin=self._origin)
        return _result(FollowedRecord(record, running=False), (f"it turned out: {value}",))

    @property
    def _origin(self) -> Origin:
        return Origin(interface="mcp", trusted=self.held.trust_labels)

    async def list_models(self, adapter: Word | None = None) -> ModelList:
        """List the models that can be asked here, by adapter, with the one taken if none is named."""
        return await lookups.list_models(self.held, adapter)

    async def set_session_models(  # noqa: PLR0913 - AI Counsel's adapters, and other providers
        self,
        *,
        claude: Word | None = "",
        codex: Word | None = "",
        droid: Word | None = "",
        gemini: Word | None = "",
        llamacpp: Word | None = "",
        ollama: Word | None = "",
        lmstudio: Word | None = "",
        openrouter: Word | None = "",
        nebius: Word | None = "",
        openai: Word | None = "",
        anthropic: Word | None = "",
    ) -> SessionModelsResult:
        """Set the model an adapter uses while this server runs, for participants without one; null clears it."""
        given = {name: value for name, value in locals().items() if name != "self" and value != ""}
        for name, value in given.items():
            if value is None:
                self.held.session_models.pop(name, None)
            else:
                self.held.session_models[name] = value
        return SessionModelsResult(updates=given, session_defaults=dict(self.held.session_models))

    async def query_decisions(  # noqa: PLR0913 - AI Counsel's parameters
        self,
        *,
        query_text: Line = "",
        query: Line = "",
        operation: Literal["search_similar", "find_contradictions", "trace_evolution", "analyze_patterns"] = (
            "search_similar"
        ),
        threshold: Annotated[float, Field(ge=0, le=1)] = 0.6,
        limit: Annotated[int, Field(ge=1, le=50)] = 5,
        find_contradictions: bool = False,
        decision_id: Word | None = None,
    ) -> DecisionList:
        """Search earlier decisions: similar questions, contradictions, or how the answers changed over time."""
        traced = decision_id and operation == "search_similar"
        asked = "find_contradictions" if find_contradictions else "trace_evolution" if traced else operation
        text = query_text or query
        return await lookups.query(self.held, text, asked, threshold, limit, decision_id)

    async def get_quality_metrics(self, id: Id = "last") -> QualityResult:
        """Measure a finished deliberation: consistency, evidence, diversity, consensus, confidence, changes, cost."""
        from quorate.views.quality import report_of

        return QualityResult.model_validate(cut_json(report_of((await self.held.look_up(id)).record).document()))


OFFERED: Final = {
    "deliberate": ASKS,
    "start": ASKS,
    "wait": ASKS,
    "resume": ASKS,
    "cancel": ENDS,
    "decide": LOOKS,
    "explain": LOOKS,
    "verify": LOOKS,
    "list_models": LOOKS,
    "set_session_models": WRITES,
    "query_decisions": LOOKS,
    "get_quality_metrics": LOOKS,
}
"""Every tool, with what it may do."""
REVIEWS: Final = {"review": WRITES, "record_outcome": WRITES}
"""Tools in a person's name. An assistant has no business with them unless whoever starts the server says so."""


def _progress(ctx: Context) -> Callable[[int, Event], Awaitable[None]]:
    async def tell(number: int, event: Event) -> None:
        await ctx.report_progress(number, None, describe(event))

    return tell


def _result(found: FollowedRecord, notes: tuple[str, ...] = ()) -> DeliberationResult:
    """What a tool gives back.

    Raises:
        ToolError: nobody could be asked, with what the providers say.
    """
    if not found.running and (why := access_sentence(found.record.state)):
        raise ToolError(cut_text(f"{why} {next_step(found.record.id, 'failed')}"))
    return deliberation_result(found.record, running=found.running, notes=notes)
