"""How the nodes are joined: for any protocol around the chair, for a debate by its roles."""

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from quorate.doors.langgraph.nodes import Nodes
from quorate.doors.langgraph.state import KEYS, DeliberationState, GraphInput, GraphOutput, Json, current, due_of
from quorate.engine.due_steps import ASK
from quorate.frozen import dataclass
from quorate.model import Panel

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable
    from langgraph.graph import StateGraph

    Builder = StateGraph[DeliberationState, None, GraphInput, GraphOutput]

__all__ = ["Review", "around_the_chair", "by_roles"]

Review = Literal["report", "interrupt"]

ROLES: Final = ("proponent", "opponent", "advocate", "critic", "refiner", "moderator", "judge")
SIDES: Final = ROLES[:4]
"""Those who argue: in the extended form all on what was said before the round."""

OWN: Final = ("convene", "chair", "clerk", "round", "conclude", "person")
"""The nodes that are no seat."""
FAILED: Final = "FAILED"
"""The way that a graph goes where nobody could be asked."""


def around_the_chair(nodes: Nodes, review: Review) -> "Builder":
    """Every seat at once that has something to say, then the chair again, until nothing is left to ask."""
    builder = _builder()
    seats = names(nodes.charter.panel)
    builder.add_node("convene", nodes.convene())
    builder.add_node("chair", nodes.ask_the_chair())
    builder.add_node("clerk", nodes.look_up())
    for seat, node in seats.items():
        builder.add_node(node, nodes.speak([seat]))
    builder.set_entry_point("convene")
    builder.add_edge("convene", "chair")
    builder.add_conditional_edges("chair", _edge(_whoever_is_due(seats)), ["clerk", *seats.values(), "conclude"])
    for node in ("clerk", *seats.values()):
        builder.add_edge(node, "chair")
    _end(builder, nodes, review)
    return builder


def _whoever_is_due(seats: Mapping[str, str]) -> Callable[[DeliberationState], list[str]]:
    def whoever_is_due(state: DeliberationState) -> list[str]:
        places = due_of(state)
        wanted = dict.fromkeys(seats[place.seat] if place.kind == ASK else "clerk" for place in places)
        return list(wanted) or ["conclude"]

    return whoever_is_due


def by_roles(nodes: Nodes, review: Review) -> "Builder":
    """A debate as it is drawn: the sides, who refines, who moderates, and round again or to the verdict."""
    seats, settings = _roles(nodes.charter.panel), dict(nodes.charter.settings)
    judged = settings.get("judge", "off") != "off"
    plan = _Debate(seats=seats, form=settings.get("form", "auto"), judged=judged)
    builder = _builder()
    builder.add_node("convene", nodes.convene())
    for role in plan.speaking:
        builder.add_node(role, nodes.speak([seats[role]], last=role == plan.tail))
    if plan.tail == "chair":
        builder.add_node("chair", nodes.ask_the_chair())
    if judged:
        builder.add_node("judge", nodes.speak([seats.get("judge", seats.get("moderator", ""))]))
        builder.add_edge("judge", "conclude")
    builder.set_entry_point("convene")
    builder.add_conditional_edges("convene", _edge(plan.begins), {**plan.starts("begin"), "conclude": "conclude"})
    _join_sides(builder, nodes, plan)
    onward: dict[Hashable, str] = {**plan.starts("continue"), "conclude": "conclude"}
    onward |= {"judge": "judge"} if judged else {}
    builder.add_conditional_edges(plan.tail, _edge(plan.goes_on), onward)
    _end(builder, nodes, review)
    return builder


@dataclass(frozen=True, slots=True, kw_only=True)
class _Debate:
    """Who does what in a debate, and the ways through it that its form allows; `auto` goes by the question."""

    seats: Mapping[str, str]
    form: str
    judged: bool

    @property
    def speaking(self) -> tuple[str, ...]:
        """The roles that speak in rounds."""
        alone = ("proponent", "opponent", "moderator")
        return tuple(role for role in (alone if self.form == "standard" else ROLES[:-1]) if role in self.seats)

    @property
    def sides(self) -> tuple[str, ...]:
        return tuple(role for role in self.speaking if role in SIDES)

    @property
    def tail(self) -> str:
        """Where a round ends: with the moderator, or with the chair where nobody moderates."""
        return "moderator" if "moderator" in self.seats else "chair"

    @property
    def after_sides(self) -> str:
        """Who comes next when all sides have spoken together."""
        return "refiner" if "refiner" in self.speaking else self.tail

    def starts(self, word: str) -> dict[Hashable, str]:
        """Where a round begins, by what is said on the edge: the sides one after the other, or all together."""
        alone: dict[Hashable, str] = {word: "proponent"}
        together: dict[Hashable, str] = {word if self.form == "extended" else f"{word} together": "round"}
        return {**({} if self.form == "extended" else alone), **({} if self.form == "standard" else together)}

    def begins(self, state: DeliberationState) -> str:
        return self._word("begin", state) if due_of(state) else "conclude"

    def goes_on(self, state: DeliberationState) -> str:
        """Another round if the chair wants one; nobody here decides that."""
        places = due_of(state)
        if any(place.seat in {self.seats[role] for role in self.sides} for place in places):
            return self._word("continue", state)
        return "judge" if places and self.judged else "conclude"

    def _word(self, word: str, state: DeliberationState) -> str:
        return f"{word} together" if self.form == "auto" and together(state) else word


def together(state: DeliberationState) -> bool:
    """Whether the sides argue on one snapshot: then more than one is asked before anything was heard."""
    return len(current(state)["opening"]) > 1


def _join_sides(builder: "Builder", nodes: Nodes, plan: _Debate) -> None:
    """The edges within a round, from its beginning to its tail."""
    if plan.form == "standard":
        builder.add_edge("proponent", "opponent")
        builder.add_edge("opponent", plan.tail)
        return
    builder.add_node("round", nodes.open_round())
    for side in plan.sides:
        builder.add_edge("round", side)
    if "refiner" in plan.speaking:
        builder.add_edge("refiner", plan.tail)
    if plan.form == "extended":
        builder.add_edge(list(plan.sides), plan.after_sides)
        return
    for side in plan.sides[2:]:
        builder.add_edge(side, plan.after_sides)
    for side, alone in (("proponent", "opponent"), ("opponent", plan.tail)):
        builder.add_conditional_edges(side, _edge(_alone_or_together), {"alone": alone, "together": plan.after_sides})


def _alone_or_together(state: DeliberationState) -> str:
    return "together" if together(state) else "alone"


def _roles(panel: Panel) -> dict[str, str]:
    """The seat that has each role."""
    return {seat.acts: seat.name for seat in panel if seat.acts in ROLES}


def _builder() -> "Builder":
    from langgraph.graph import StateGraph

    return StateGraph(DeliberationState, input_schema=GraphInput, output_schema=GraphOutput)


def _end(builder: "Builder", nodes: Nodes, review: Review) -> None:
    from langgraph.graph import END

    builder.add_node("conclude", nodes.conclude())
    if review == "report":
        builder.add_conditional_edges("conclude", _edge(_whether_failed), {FAILED: END, "done": END})
        return
    builder.add_node("person", nodes.ask_a_person())
    ways: dict[Hashable, str] = {"review": "person", FAILED: END, "done": END}
    builder.add_conditional_edges("conclude", _edge(_whether_reviewed), ways)
    builder.add_edge("person", END)


def _whether_failed(state: DeliberationState) -> str:
    return FAILED if current(state).get("state") == "failed" else "done"


def _whether_reviewed(state: DeliberationState) -> str:
    if _whether_failed(state) == FAILED:
        return FAILED
    review: Json | None = current(state).get("review")
    return "review" if review is not None and review["state"] == "pending" else "done"


def _edge(path: Callable[[DeliberationState], str | list[str]]) -> "Runnable[DeliberationState, str | list[str]]":
    """Which way to go, looked up in the state where the graph runs: of a function LangGraph makes work for a thread."""
    from langchain_core.runnables import Runnable, RunnableConfig

    class Edge(Runnable[DeliberationState, str | list[str]]):
        name = path.__name__

        def invoke(
            self,
            input: DeliberationState,  # noqa: A002 - langchain's own signature
            config: RunnableConfig | None = None,
            **_: object,
        ) -> str | list[str]:
            del config
            return path(input)

        async def ainvoke(
            self,
            input: DeliberationState,  # noqa: A002 - the same
            config: RunnableConfig | None = None,
            **_: object,
        ) -> str | list[str]:
            del config
            return path(input)

    return Edge()


def names(panel: Panel) -> dict[str, str]:
    """A node for every seat by its name, as far as a node may be called that."""
    named: dict[str, str] = {}
    for seat in panel:
        plain = seat.name.replace(":", "-").replace("|", "-")
        taken = {*OWN, *KEYS, "__start__", "__end__", *named.values()}
        named[seat.name] = next(name for name in (plain, *(f"{plain} {n}" for n in range(2, 99))) if name not in taken)
    return named
